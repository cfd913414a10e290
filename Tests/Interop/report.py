"""What each call of a client gave, and the table of it."""

import json
import sys
import traceback


class Report:
    def __init__(self, client, known=None, way="", notes=None):
        """`known` says why a call of the client cannot do what it should, `way` how the client is used, and `notes`
        what a call needs besides that."""
        self.client = client
        self.way = way
        self.known = known or {}
        self.notes = notes or {}
        self.rows = []

    def call(self, name, call):
        """Makes a call, and notes whether it did what its client expects."""
        try:
            result = call()
        except Exception as error:  # a client's own error is the outcome
            self.rows.append((self.client, name, False, f"{type(error).__name__}: {error}"[:160]))
            traceback.print_exc(file=sys.stderr)
            return None
        self.rows.append((self.client, name, True, ""))
        return result

    def refusal(self, name, kind, call):
        """Makes a call that its client must refuse with this error."""

        def refused():
            try:
                result = call()
            except kind:
                return True
            raise AssertionError(f"{result!r} instead of {kind.__name__}")

        return self.call(name, refused)

    def print(self, version=None):
        """Prints a line for each call. `version` is the client's, if it is not a package of Python."""
        for client, name, done, reason in self.rows:
            known = self.known.get(name)
            row = {"client": client, "way": self.way, "call": name, "done": done}
            note = self.notes.get(name, "")
            more = {"reason": known or reason, "known": known is not None, "note": note, "version": version}
            print(json.dumps(row | more))


def expect(condition, text="not as expected"):
    if not condition:
        raise AssertionError(text)
    return True
