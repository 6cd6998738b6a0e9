"""PyTorch is imported when it is asked for, and where it is missing the error says what to install."""

import subprocess
import sys


def run(code):
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)


def test_redunet_does_not_import_torch():
    found = run("import sys, redunet, redunet.estimators; print('torch' in sys.modules)")
    assert found.stdout.strip() == "False", found.stderr


def test_without_torch_the_error_says_what_to_install():
    found = run("import sys; sys.modules['torch'] = None; import redunet.torch")
    assert found.returncode == 1
    last = found.stderr.strip().splitlines()[-1]
    assert last == "ImportError: redunet.torch needs PyTorch; install it with: pip install 'redunet[torch]'"
