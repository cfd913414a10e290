"""firebase-admin against a server of ours: the calls of its `auth` and `tenant_mgt` modules.

    FIREBASE_AUTH_EMULATOR_HOST=HOST:PORT python try_firebase_admin.py PROJECT
    GATEHOUSE=ADDRESS python try_firebase_admin.py PROJECT KEY_FILE

The second form is no emulator's: the client gets access tokens for a service account, signs custom tokens with its key,
and verifies the server's tokens with the certificates that it shows.
"""

import base64
import os
import sys

import firebase_admin
import google.oauth2.credentials
import requests
from firebase_admin import auth, credentials, tenant_mgt

from report import Report, expect


class Owner(credentials.Base):
    """The emulator's administrator."""

    def get_credential(self):
        return google.oauth2.credentials.Credentials("owner")


project = sys.argv[1]
if len(sys.argv) > 2:
    import reroute  # noqa: F401: what it changes is how requests are sent

    base = os.environ["GATEHOUSE"]
    administrator = credentials.Certificate(sys.argv[2])
    report = Report("firebase-admin", way="with a service account")
else:
    base = "http://" + os.environ["FIREBASE_AUTH_EMULATOR_HOST"]
    # `tenant_mgt` does not look at the variable, and has no other setting: the address is Google's.
    tenant_mgt._TenantManagementService.TENANT_MGT_URL = f"{base}/identitytoolkit.googleapis.com/v2"
    administrator = Owner()
    patched = "only with the client's private `TENANT_MGT_URL`, which is Google's, replaced"
    tenant_calls = ["create_tenant", "get_tenant", "update_tenant", "list_tenants", "delete_tenant",
                    "get_tenant, none"]
    report = Report("firebase-admin", way="with an emulator", notes=dict.fromkeys(tenant_calls, patched))
firebase_admin.initialize_app(administrator, {"projectId": project})
call, refusal = report.call, report.refusal


def sign_in(email, password, tenant=None):
    body = {"email": email, "password": password, "returnSecureToken": True}
    if tenant:
        body["tenantId"] = tenant
    answer = requests.post(f"{base}/identitytoolkit.googleapis.com/v1/accounts:signInWithPassword?key=k", json=body)
    expect(answer.status_code == 200, answer.text)
    return answer.json()["idToken"]


def sign_in_with(token):
    answer = requests.post(
        f"{base}/identitytoolkit.googleapis.com/v1/accounts:signInWithCustomToken?key=k",
        json={"token": token.decode(), "returnSecureToken": True},
    )
    expect(answer.status_code == 200, answer.text)
    return answer.json()["idToken"]


def users():
    call(
        "create_user",
        lambda: auth.create_user(
            uid="ada", email="ada@example.com", email_verified=False, phone_number="+12025550123",
            password="correct horse", display_name="Ada", photo_url="https://example.com/a.png", disabled=False,
        ),
    )
    call("create_user, no attributes", lambda: expect(auth.create_user().user_metadata.last_sign_in_timestamp is None))
    refusal("create_user, same uid", auth.UidAlreadyExistsError, lambda: auth.create_user(uid="ada"))
    refusal(
        "create_user, same e-mail", auth.EmailAlreadyExistsError, lambda: auth.create_user(email="ada@example.com"))
    refusal(
        "create_user, same phone", auth.PhoneNumberAlreadyExistsError,
        lambda: auth.create_user(phone_number="+12025550123"))
    call("get_user", lambda: expect(auth.get_user("ada").email == "ada@example.com"))
    call("get_user_by_email", lambda: expect(auth.get_user_by_email("ada@example.com").uid == "ada"))
    call("get_user_by_phone_number", lambda: expect(auth.get_user_by_phone_number("+12025550123").uid == "ada"))
    refusal("get_user, none", auth.UserNotFoundError, lambda: auth.get_user("none"))

    def several():
        found = auth.get_users([
            auth.UidIdentifier("ada"), auth.EmailIdentifier("none@example.com"),
            auth.PhoneIdentifier("+12025550123"), auth.ProviderIdentifier("google.com", "none"),
        ])
        return expect(len(found.users) == 1 and len(found.not_found) == 2)

    call("get_users", several)
    call(
        "update_user",
        lambda: expect(auth.update_user("ada", display_name="Ada L", email_verified=True).email_verified))
    call(
        "update_user, DELETE_ATTRIBUTE",
        lambda: expect(auth.update_user("ada", photo_url=auth.DELETE_ATTRIBUTE).photo_url is None))
    call(
        "update_user, phone taken away",
        lambda: expect(auth.update_user("ada", phone_number=auth.DELETE_ATTRIBUTE).phone_number is None))
    refusal("update_user, none", auth.UserNotFoundError, lambda: auth.update_user("none", display_name="x"))
    call("set_custom_user_claims", lambda: auth.set_custom_user_claims("ada", {"admin": True}))
    call("get_user, claims", lambda: expect(auth.get_user("ada").custom_claims == {"admin": True}))
    refusal(
        "update_user, reserved claim", Exception,
        lambda: auth.update_user("ada", custom_claims='{"sub": "x"}'))


def tokens():
    token = call("(sign in)", lambda: sign_in("ada@example.com", "correct horse"))
    call("verify_id_token", lambda: expect(auth.verify_id_token(token)["uid"] == "ada"))
    call("verify_id_token, check_revoked", lambda: expect(auth.verify_id_token(token, check_revoked=True)["admin"]))
    cookie = call("create_session_cookie", lambda: auth.create_session_cookie(token, expires_in=3600))
    call(
        "verify_session_cookie, check_revoked",
        lambda: expect(auth.verify_session_cookie(cookie, check_revoked=True)["uid"] == "ada"))
    refusal(
        "create_session_cookie, no token", auth.InvalidIdTokenError,
        lambda: auth.create_session_cookie("x.y.z", 3600))
    custom = call("create_custom_token", lambda: auth.create_custom_token("ada", {"role": "admin"}))
    call(
        "verify_id_token, of a custom token",
        lambda: expect(auth.verify_id_token(sign_in_with(custom))["role"] == "admin"))
    call("update_user, disabled", lambda: expect(auth.update_user("ada", disabled=True).disabled))
    refusal(
        "verify_id_token, disabled", auth.UserDisabledError, lambda: auth.verify_id_token(token, check_revoked=True))
    call("update_user, enabled", lambda: expect(not auth.update_user("ada", disabled=False).disabled))


def revoked():
    import time

    token = call("(sign in again)", lambda: sign_in("ada@example.com", "correct horse"))
    cookie = auth.create_session_cookie(token, expires_in=3600)
    # What is revoked are the sign-ins of earlier seconds.
    time.sleep(1.1)
    call("revoke_refresh_tokens", lambda: auth.revoke_refresh_tokens("ada"))
    refusal(
        "verify_id_token, revoked", auth.RevokedIdTokenError, lambda: auth.verify_id_token(token, check_revoked=True))
    refusal(
        "verify_session_cookie, revoked", auth.RevokedSessionCookieError,
        lambda: auth.verify_session_cookie(cookie, check_revoked=True))


def links():
    settings = auth.ActionCodeSettings(url="http://localhost/x", handle_code_in_app=True)
    call(
        "generate_password_reset_link",
        lambda: expect("mode=resetPassword" in auth.generate_password_reset_link("ada@example.com")))
    call(
        "generate_email_verification_link",
        lambda: expect("mode=verifyEmail" in auth.generate_email_verification_link("ada@example.com", settings)))
    call(
        "generate_sign_in_with_email_link",
        lambda: expect("mode=signIn" in auth.generate_sign_in_with_email_link("ada@example.com", settings)))
    refusal(
        "generate_password_reset_link, none", auth.EmailNotFoundError,
        lambda: auth.generate_password_reset_link("none@example.com"))


def many():
    hashed = auth.UserImportHash.scrypt(
        key=base64.b64decode(
            "jxspr8Ki0RYycVU8zykbdLGjFQ3McFUH0uiiTvC8pVMXAn210wjLNmdZJzxUECKbm0QsEmYUSDzZvpjeJ9WmXA=="),
        salt_separator=base64.b64decode("Bw=="), rounds=8, memory_cost=14)
    record = auth.ImportUserRecord(
        uid="imported", email="imported@example.com", password_salt=b"NaCl", custom_claims={"from": "afar"},
        password_hash=base64.b64decode(
            "V358E8LdWJXAO7muq0CufVpEOXaj8aFiC7T/rcaGieN04q/ZPJ08WhJEHGjj9lz/2TT+/86N5VjVoc5DdBhBiw=="))
    call("import_users, scrypt", lambda: expect(auth.import_users([record], hash_alg=hashed).success_count == 1))
    call("(sign in with an imported password)", lambda: sign_in("imported@example.com", "password"))
    makings = {
        "hmac_sha512": auth.UserImportHash.hmac_sha512(b"k"), "hmac_sha256": auth.UserImportHash.hmac_sha256(b"k"),
        "hmac_sha1": auth.UserImportHash.hmac_sha1(b"k"), "hmac_md5": auth.UserImportHash.hmac_md5(b"k"),
        "md5": auth.UserImportHash.md5(1), "sha1": auth.UserImportHash.sha1(1), "sha256": auth.UserImportHash.sha256(1),
        "sha512": auth.UserImportHash.sha512(1), "pbkdf_sha1": auth.UserImportHash.pbkdf_sha1(1000),
        "pbkdf2_sha256": auth.UserImportHash.pbkdf2_sha256(1000), "bcrypt": auth.UserImportHash.bcrypt(),
        "standard_scrypt": auth.UserImportHash.standard_scrypt(1024, 16, 8, 64),
    }
    lengths = {
        "hmac_sha512": 64, "hmac_sha256": 32, "hmac_sha1": 20, "hmac_md5": 16, "md5": 16, "sha1": 20, "sha256": 32,
        "sha512": 64, "pbkdf_sha1": 20, "pbkdf2_sha256": 64, "standard_scrypt": 64,
    }
    for name, making in makings.items():
        password = b"$2a$06$.rCVZVOThsIa97pEDOxvGuRRgzG64bvtJ0938xuqzv18d3ZpQhstC"
        if name != "bcrypt":
            password = bytes(lengths[name])
        user = auth.ImportUserRecord(uid="of-" + name, password_hash=password, password_salt=b"NaCl")
        call(f"import_users, {name}", lambda: expect(auth.import_users([user], hash_alg=making).success_count == 1))
    call(
        "import_users, an account that is there",
        lambda: expect(auth.import_users([auth.ImportUserRecord(uid="ada")]).errors[0].index == 0))

    def listed():
        found = list(auth.list_users(max_results=3).iterate_all())
        imported = next(user for user in found if user.uid == "imported")
        expect(len(found) > 3 and len({user.uid for user in found}) == len(found))
        return expect(imported.password_hash and imported.password_salt)

    call("list_users", listed)
    call("delete_users", lambda: expect(auth.delete_users(["imported", "none"]).success_count == 2))
    call("delete_user", lambda: auth.delete_user("ada"))
    refusal("delete_user, none", auth.UserNotFoundError, lambda: auth.delete_user("ada"))


def providers(client, name):
    call(
        f"{name}create_oidc_provider_config",
        lambda: expect(
            client.create_oidc_provider_config(
                provider_id="oidc.one", client_id="client", issuer="https://issuer.example.com", display_name="One",
                enabled=True, client_secret="secret", id_token_response_type=False, code_response_type=True,
            ).client_secret == "secret"))
    call(f"{name}get_oidc_provider_config", lambda: expect(client.get_oidc_provider_config("oidc.one").enabled))
    call(
        f"{name}update_oidc_provider_config",
        lambda: expect(
            not client.update_oidc_provider_config("oidc.one", client_id="other", enabled=False).enabled))
    call(
        f"{name}list_oidc_provider_configs",
        lambda: expect([c.provider_id for c in client.list_oidc_provider_configs().iterate_all()] == ["oidc.one"]))
    call(f"{name}delete_oidc_provider_config", lambda: client.delete_oidc_provider_config("oidc.one"))
    refusal(
        f"{name}get_oidc_provider_config, none", auth.ConfigurationNotFoundError,
        lambda: client.get_oidc_provider_config("oidc.one"))
    call(
        f"{name}create_saml_provider_config",
        lambda: expect(
            client.create_saml_provider_config(
                provider_id="saml.one", idp_entity_id="idp", sso_url="https://idp.example.com/sso",
                x509_certificates=["certificate"], rp_entity_id="rp", callback_url="https://rp.example.com/handler",
                display_name="One", enabled=True,
            ).x509_certificates == ["certificate"]))
    call(f"{name}get_saml_provider_config", lambda: expect(client.get_saml_provider_config("saml.one").enabled))
    call(
        f"{name}update_saml_provider_config",
        lambda: expect(
            client.update_saml_provider_config("saml.one", sso_url="https://idp.example.com/other").sso_url
            == "https://idp.example.com/other"))
    call(
        f"{name}list_saml_provider_configs",
        lambda: expect([c.provider_id for c in client.list_saml_provider_configs().iterate_all()] == ["saml.one"]))
    call(f"{name}delete_saml_provider_config", lambda: client.delete_saml_provider_config("saml.one"))
    refusal(
        f"{name}delete_saml_provider_config, none", auth.ConfigurationNotFoundError,
        lambda: client.delete_saml_provider_config("saml.one"))


def tenants():
    tenant = call(
        "create_tenant",
        lambda: tenant_mgt.create_tenant("tenant-one", allow_password_sign_up=True, enable_email_link_sign_in=True))
    call("get_tenant", lambda: expect(tenant_mgt.get_tenant(tenant.tenant_id).allow_password_sign_up))
    client = tenant_mgt.auth_for_tenant(tenant.tenant_id)
    call(
        "auth_for_tenant.create_user",
        lambda: expect(client.create_user(email="t@example.com", password="secret1").tenant_id == tenant.tenant_id))
    token = call("(sign in to a tenant)", lambda: sign_in("t@example.com", "secret1", tenant.tenant_id))
    call(
        "auth_for_tenant.verify_id_token",
        lambda: expect(client.verify_id_token(token)["firebase"]["tenant"] == tenant.tenant_id))
    call("auth_for_tenant.list_users", lambda: expect(len(list(client.list_users().iterate_all())) == 1))
    call(
        "auth_for_tenant.import_users",
        lambda: expect(
            client.import_users([auth.ImportUserRecord(uid="in-tenant", email="i@example.com")]).success_count == 1))
    call(
        "auth_for_tenant.generate_password_reset_link",
        lambda: expect(f"tenantId={tenant.tenant_id}" in client.generate_password_reset_link("t@example.com")))
    providers(client, "auth_for_tenant.")
    call(
        "update_tenant",
        lambda: expect(
            tenant_mgt.update_tenant(tenant.tenant_id, display_name="tenant-two", allow_password_sign_up=False)
            .display_name == "tenant-two"))
    call(
        "list_tenants",
        lambda: expect(tenant.tenant_id in [t.tenant_id for t in tenant_mgt.list_tenants().iterate_all()]))
    call("delete_tenant", lambda: tenant_mgt.delete_tenant(tenant.tenant_id))
    refusal("get_tenant, none", tenant_mgt.TenantNotFoundError, lambda: tenant_mgt.get_tenant(tenant.tenant_id))


users()
tokens()
revoked()
links()
many()
providers(auth, "")
tenants()
report.print()
