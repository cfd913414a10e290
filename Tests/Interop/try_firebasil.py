"""firebasil, which is strict about the members of answers.

    FIREBASE_AUTH_EMULATOR_HOST=HOST:PORT python try_firebasil.py PROJECT
"""

import asyncio
import base64
import json
import sys

from firebasil.auth import AuthClient

from report import Report

project = sys.argv[1]
KNOWN = {
    "get_user_data": "it wants the password's hash and salt, which Google's servers do not send to a user either",
    "link_account_with_email_and_password": (
        "it wants the password's hash, which Google's servers do not send to a user either"
    ),
    "change_email": "it wants the password's hash, which Google's servers do not send to a user either",
    "sign_in_with_oauth": "it does not take `isNewUser`, which Google's servers send",
    "get_associated_providers": "it does not take `signinMethods`, which Google's servers send",
    "emulator_get_sms_codes": "it does not take the emulator's `verificationCodes`",
    "emulator_get_configuration": "it does not take the emulator's `emailPrivacyConfig`",
}
report = Report("firebasil", KNOWN)


def unsigned(claims):
    parts = [{"alg": "none", "typ": "JWT"}, claims]
    return ".".join(base64.urlsafe_b64encode(json.dumps(part).encode()).decode().rstrip("=") for part in parts) + "."


async def calls():
    async with AuthClient(api_key="k") as client:

        async def call(name, coroutine):
            try:
                result = await coroutine
            except Exception as error:
                report.rows.append(("firebasil", name, False, f"{type(error).__name__}: {error}"[:160]))
                return None
            report.rows.append(("firebasil", name, True, ""))
            return result

        await call("emulator_clear_accounts", client.emulator_clear_accounts(project))
        user = await call("sign_up", client.sign_up("bob@example.com", "secret1"))
        await call("sign_in_with_password", client.sign_in_with_password("bob@example.com", "secret1"))
        anonymous = await call("sign_in_anonymous", client.sign_in_anonymous())
        await call("refresh", client.refresh(user.refresh_token))
        await call("get_user_data", client.get_user_data(user.id_token))
        await call("send_password_reset_email", client.send_password_reset_email("bob@example.com", locale="de"))
        await call("emulator_get_out_of_band_codes", client.emulator_get_out_of_band_codes(project))
        await call(
            "link_account_with_email_and_password",
            client.link_account_with_email_and_password(anonymous.id_token, "c@example.com", "secret1"))
        await call("change_email", client.change_email(user.id_token, "bob2@example.com"))
        user = await call("sign_in_with_password", client.sign_in_with_password("bob2@example.com", "secret1"))
        await call("send_email_verification", client.send_email_verification(user.id_token))
        await call(
            "sign_in_with_custom_token",
            client.sign_in_with_custom_token(unsigned({"uid": "zed", "iss": "x", "sub": "x"})))
        identity = {"sub": "g1", "email": "g@example.com", "email_verified": True}
        identity |= {"iss": "", "aud": "", "exp": 0, "iat": 0}
        await call(
            "sign_in_with_oauth", client.sign_in_with_oauth("http://localhost", unsigned(identity), "google.com", True))
        await call("get_associated_providers", client.get_associated_providers("bob2@example.com", "http://localhost"))
        await call("emulator_get_sms_codes", client.emulator_get_sms_codes(project))
        await call("emulator_get_configuration", client.emulator_get_configuration(project))
        await call("delete_account", client.delete_account(user.id_token))


asyncio.run(calls())
report.print()
