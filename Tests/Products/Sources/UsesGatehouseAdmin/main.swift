import GatehouseAdmin
import GatehouseJOSE
import IdentityToolkit

/// A provider of one's own, in this process.
struct Own: Backend, TokenAuthority {
  let key: PrivateKey
  var issuer: String { "https://issuer.example" }
  var audience: String { "shop" }

  func answer<C: Call>(_ call: C) async throws(AuthError) -> C.Response {
    guard call is LookupAccounts, let response = Lookup.Response(users: [Account(localId: "ada")]) as? C.Response else {
      throw .unsupported(C.self)
    }
    return response
  }

  func keySet() async throws -> JWKSet {
    try JWKSet([JWK(.publicKey(key.publicKey), keyID: "k", algorithm: .ES256)])
  }

  func customToken(
    forUser uid: String, tenantID: String?, claims: JSONObject
  ) async throws -> String {
    try TokenSigner(key: key, keyID: "k").sign(["uid": .string(uid)])
  }
}

let admin = AdminAuth(Own(key: try PrivateKey.generate(.p256)))
let user = try await admin.getUser(byUID: "ada")
precondition(user.uid == "ada")
do {
  _ = try await admin.verifyIDToken("nonsense")
  preconditionFailure("nonsense was taken for a token")
} catch let error as AuthError {
  precondition(error.code == .tokenMalformed)
  print("GatehouseAdmin: \(user.uid), \(error.message).")
}
