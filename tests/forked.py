"""The command in a copy of this process, which can be killed: starting a new one costs seconds."""

import os
import signal
import time

from attack.commands import start

PATIENCE = 600  # seconds; only what hangs takes so long, however many others use the machine


class Forked:
    """A running command, with the methods of `subprocess.Popen` that are needed."""

    def __init__(self, place, words, before=lambda: None):
        self.pid = start(place, *words, before=before)
        self.code = None

    def poll(self):
        if self.code is None:
            found, status = os.waitpid(self.pid, os.WNOHANG)
            self.code = os.waitstatus_to_exitcode(status) if found else None
        return self.code

    def wait(self, seconds=PATIENCE):
        end = time.monotonic() + seconds
        while self.poll() is None:
            if time.monotonic() > end:
                self.kill()
                raise TimeoutError("the command does not end")
            time.sleep(0.002)
        return self.code

    def send_signal(self, number):
        if self.poll() is None:
            os.kill(self.pid, number)

    def kill(self):
        self.send_signal(signal.SIGKILL)

    def terminate(self):
        self.send_signal(signal.SIGTERM)
