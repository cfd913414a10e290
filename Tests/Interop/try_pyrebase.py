"""pyrebase4 on the paths of version 3. It knows Google's hosts alone: its requests are sent to ours.

    python try_pyrebase.py http://HOST:PORT PROJECT
"""

import sys
from urllib.parse import urlsplit

import requests
import requests.adapters

from report import Report, expect

base, project = sys.argv[1:]


class Rerouted(requests.adapters.HTTPAdapter):
    def send(self, request, **options):
        parts = urlsplit(request.url)
        if not request.url.startswith(base):
            request.url = f"{base}/{parts.netloc}{parts.path}" + (f"?{parts.query}" if parts.query else "")
        return super().send(request, **options)


requests.Session.get_adapter = lambda session, url: Rerouted()

import pyrebase  # noqa: E402: it makes its session when it is imported

auth = pyrebase.initialize_app(
    {"apiKey": "k", "authDomain": "x", "databaseURL": "https://x.example.com", "storageBucket": "x"}
).auth()
report = Report("pyrebase4")
call = report.call
call(
    "create_user_with_email_and_password",
    lambda: auth.create_user_with_email_and_password("p@example.com", "secret1"))
user = call(
    "sign_in_with_email_and_password", lambda: auth.sign_in_with_email_and_password("p@example.com", "secret1"))
report.refusal(
    "sign_in_with_email_and_password, wrong", requests.HTTPError,
    lambda: auth.sign_in_with_email_and_password("p@example.com", "wrong-1"))
call("sign_in_anonymous", lambda: auth.sign_in_anonymous())
call(
    "get_account_info",
    lambda: expect(auth.get_account_info(user["idToken"])["users"][0]["email"] == "p@example.com"))
call("refresh", lambda: expect(auth.refresh(user["refreshToken"])["userId"] == user["localId"]))
call("send_email_verification", lambda: auth.send_email_verification(user["idToken"]))
call("send_password_reset_email", lambda: auth.send_password_reset_email("p@example.com"))
codes = requests.get(f"{base}/emulator/v1/projects/{project}/oobCodes").json()["oobCodes"]
code = [c for c in codes if c["requestType"] == "PASSWORD_RESET" and c["email"] == "p@example.com"][-1]["oobCode"]
call("verify_password_reset_code", lambda: auth.verify_password_reset_code(code, "secret2"))
user = call(
    "(sign in with the new password)", lambda: auth.sign_in_with_email_and_password("p@example.com", "secret2"))
call("update_profile", lambda: auth.update_profile(user["idToken"], display_name="P"))
call("delete_user_account", lambda: auth.delete_user_account(user["idToken"]))
report.print()
