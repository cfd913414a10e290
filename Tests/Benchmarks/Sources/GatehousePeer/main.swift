import Foundation
import GatehouseJOSE
import TokenSamples

// Gatehouse as one of the peers.
PeerProgram.run(version: "this clone (OpenSSL \(openSSLVersion))") { folder, algorithm in
  func bytes(_ name: String) throws -> [UInt8] {
    Array(try Data(contentsOf: URL(filePath: folder + "/\(algorithm.rawValue).\(name)")))
  }
  let token = String(decoding: try bytes("jwt"), as: UTF8.self)
  let keys =
    algorithm == .HS256
    ? try JWKSet([JWK(.symmetric(SecretKey(bytes("key"))), keyID: FirebaseClaims.keyID)])
    : try JWKSet(parsing: bytes("jwks"))
  let verifier = TokenVerifier(keys: keys, policy: TokenSample.policy(algorithm))
  return { count in for _ in 0..<count { _ = try verifier.verify(token) } }
}
