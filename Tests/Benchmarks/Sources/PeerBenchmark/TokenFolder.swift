import Foundation
import GatehouseJOSE
import TokenSamples

/// Fresh tokens with their keys, as Peers/README.md tells the peers to expect them.
struct TokenFolder {
  let path: String

  init(_ path: String) throws {
    self.path = path
    try FileManager.default.createDirectory(
      atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    let now = Int64(Date().timeIntervalSince1970) - 1  // no peer's clock shows an earlier second
    for algorithm in SampleAlgorithm.allCases { try write(TokenSample(algorithm, at: now)) }
    try write(Data(FirebaseClaims.issuer.utf8), "issuer")
    try write(Data(FirebaseClaims.project.utf8), "audience")
  }

  private func write(_ sample: TokenSample) throws {
    let name = sample.algorithm.rawValue
    try write(Data(sample.token.utf8), name + ".jwt")
    guard sample.algorithm != .HS256 else { return try write(Data(sample.rawKey.secret), name + ".key") }
    try write(Data(sample.rawKey.publicPEM.utf8), name + ".pem")
    try write(Data(sample.verifier.keys.serialized()), name + ".jwks")
  }

  private func write(_ data: Data, _ name: String) throws {
    try data.write(to: URL(filePath: path).appending(path: name))
  }
}
