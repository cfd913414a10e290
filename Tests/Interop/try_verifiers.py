"""google-auth, PyJWT and joserfc verify our tokens with the keys that our server publishes.

    python try_verifiers.py http://HOST:PORT PROJECT
"""

import sys

import google.auth.transport.requests
import google.oauth2.id_token
import joserfc.jwk
import joserfc.jwt
import jwt
import requests

from report import Report, expect

base, project = sys.argv[1:]
certificates = f"{base}/www.googleapis.com/robot/v1/metadata/x509/securetoken@system.gserviceaccount.com"
key_set = f"{base}/.well-known/jwks.json"

answer = requests.post(
    f"{base}/identitytoolkit.googleapis.com/v1/accounts:signUp?key=k", json={"returnSecureToken": True})
token = answer.json()["idToken"]
signed, signature = token.rsplit(".", 1)
forged = signed + "." + ("A" if signature[0] != "A" else "B") + signature[1:]

google_auth = Report("google-auth")


def verify(token, keys):
    request = google.auth.transport.requests.Request()
    return google.oauth2.id_token.verify_token(token, request, audience=project, certs_url=keys)


google_auth.call("verify_token, certificates", lambda: expect(verify(token, certificates)["aud"] == project))
google_auth.call("verify_token, key set", lambda: expect(verify(token, key_set)["aud"] == project))
google_auth.refusal("verify_token, forged", ValueError, lambda: verify(forged, certificates))
google_auth.print()

py_jwt = Report("PyJWT")


def decode(token):
    key = jwt.PyJWKClient(key_set).get_signing_key_from_jwt(token)
    issuer = f"https://securetoken.google.com/{project}"
    return jwt.decode(token, key.key, algorithms=["RS256"], audience=project, issuer=issuer)


py_jwt.call("PyJWKClient, decode", lambda: expect(decode(token)["sub"]))
py_jwt.refusal("decode, forged", jwt.InvalidSignatureError, lambda: decode(forged))
py_jwt.print()

jose = Report("joserfc")


def decoded(token):
    keys = joserfc.jwk.KeySet.import_key_set(requests.get(key_set).json())
    return joserfc.jwt.decode(token, keys, algorithms=["RS256"]).claims


jose.call("jwt.decode", lambda: expect(decoded(token)["aud"] == project))
jose.refusal("jwt.decode, forged", Exception, lambda: decoded(forged))
jose.print()
