"""Exit codes of the commands."""

SUCCESS = 0
# The data or the model cannot be used, or an experiment failed.
FAILURE = 1
# The command line asks for something that does not exist.
USAGE = 2
# Some samples have no answer; the others were answered.
UNANSWERED = 3
# What a shell gives for a process that Ctrl-C (signal 2) or SIGTERM (signal 15) ended.
INTERRUPTED = 128 + 2
TERMINATED = 128 + 15
