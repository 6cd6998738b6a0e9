"""PyTorch is optional: nothing imports it that was not asked for, and its absence says how to install it."""

import subprocess
import sys


def output_of(code):
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip()


def test_torch_is_imported_only_when_it_is_asked_for():
    code = "import sys, redunet; redunet.ReduNetClassifier(), redunet.rate_reduction; print('torch' in sys.modules)"
    assert output_of(code) == "False"


def test_without_torch_the_error_says_how_to_install_it():
    code = """
import sys
sys.modules["torch"] = None
try:
    import redunet.torch
except ImportError as error:
    print(error)
"""
    assert "pip install 'redunet[torch]'" in output_of(code)
