import cryptography
import joserfc
from cryptography.hazmat.backends.openssl import backend
from joserfc import jwt
from joserfc.jwk import ECKey, OctKey, OKPKey, RSAKey
from peer import Peer

peer = Peer()
kinds = {"RS256": RSAKey, "ES256": ECKey, "EdDSA": OKPKey, "HS256": OctKey}
key = kinds[peer.algorithm].import_key(peer.key)
algorithms = [peer.algorithm]
claims = jwt.JWTClaimsRegistry(
    iss={"essential": True, "value": peer.issuer}, aud={"essential": True, "value": peer.audience}
)


def verify():
    claims.validate(jwt.decode(peer.token, key, algorithms=algorithms).claims)


peer.run(verify, f"{joserfc.__version__} (cryptography {cryptography.__version__}, {backend.openssl_version_text()})")
