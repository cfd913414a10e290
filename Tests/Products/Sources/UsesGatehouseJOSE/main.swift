import GatehouseJOSE

let key = try PrivateKey.generate(.ec(.p256))
let token = try TokenSigner(key: key, keyID: "k1").sign(["iss": "https://issuer.example", "aud": "shop"])
var jwk = try JWK(.publicKey(key.publicKey))
jwk.keyID = "k1"
var policy = VerificationPolicy(algorithms: [.ES256], issuer: "https://issuer.example", audience: "shop")
policy.requiredClaims = []
let verified = try TokenVerifier(keys: JWKSet([jwk]), policy: policy).verify(token)
precondition(verified.issuer == "https://issuer.example")
print("GatehouseJOSE: a token of \(token.utf8.count) bytes was signed and verified.")
