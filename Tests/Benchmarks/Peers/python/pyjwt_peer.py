import cryptography
import jwt
from cryptography.hazmat.backends.openssl import backend
from cryptography.hazmat.primitives.serialization import load_pem_public_key
from peer import Peer

peer = Peer()
key = peer.key if peer.algorithm == "HS256" else load_pem_public_key(peer.key)
algorithms = [peer.algorithm]


def verify():
    jwt.decode(peer.token, key, algorithms=algorithms, issuer=peer.issuer, audience=peer.audience)


peer.run(verify, f"{jwt.__version__} (cryptography {cryptography.__version__}, {backend.openssl_version_text()})")
