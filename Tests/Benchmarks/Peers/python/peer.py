"""What both Python peers do around their own call."""

import sys
import time
from pathlib import Path


class Peer:
    """The token, its key and what it must say, from the folder that the peer was called with."""

    def __init__(self):
        folder, self.algorithm, seconds = sys.argv[1:]
        folder = Path(folder)
        self.seconds = float(seconds)
        self.token = (folder / f"{self.algorithm}.jwt").read_text()
        self.issuer = (folder / "issuer").read_text()
        self.audience = (folder / "audience").read_text()
        name = "HS256.key" if self.algorithm == "HS256" else f"{self.algorithm}.pem"
        self.key = (folder / name).read_bytes()

    def run(self, verify, version):
        """Warms up, verifies, and prints the line."""
        self._verify(verify, self.seconds / 4)
        count, seconds = self._verify(verify, self.seconds)
        print(count, seconds, version)

    @staticmethod
    def _verify(verify, seconds):
        begin = time.process_time()
        count = 0
        while True:
            for _ in range(20):
                verify()
            count += 20
            used = time.process_time() - begin
            if used >= seconds:
                return count, used
