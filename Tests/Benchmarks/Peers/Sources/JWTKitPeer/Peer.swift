import Foundation
import JWTKit

/// The token, its key and what it must say, from the folder that the peer was called with.
struct Peer {
  let token: [UInt8]
  let issuer: String
  let audience: String
  let keys = JWTKeyCollection()

  init(_ folder: String, _ algorithm: String) async throws {
    func text(_ name: String) throws -> String { try String(contentsOfFile: folder + "/" + name, encoding: .utf8) }
    token = Array(try text("\(algorithm).jwt").utf8)
    issuer = try text("issuer")
    audience = try text("audience")
    if algorithm == "HS256" {
      let secret = try Data(contentsOf: URL(filePath: folder + "/HS256.key"))
      await keys.add(hmac: HMACKey(from: secret), digestAlgorithm: .sha256)
    } else {
      try await keys.add(jwksJSON: text("\(algorithm).jwks"))
    }
  }

  /// Verifies until so much processor time is used. Not on the main actor: to leave it with every token costs more
  /// than the token.
  @concurrent func verify(for seconds: Double) async throws -> (count: Int, time: Double) {
    let begin = Self.processorTime
    var count = 0
    var time = 0.0
    repeat {
      for _ in 0..<20 { try await verify() }
      count += 20
      time = Self.processorTime - begin
    } while time < seconds
    return (count, time)
  }

  private func verify() async throws {
    let payload = try await keys.verify(token, as: IDToken.self)
    try payload.aud.verifyIntendedAudience(includes: audience)
    guard payload.iss.value == issuer else {
      throw JWTError.claimVerificationFailure(failedClaim: payload.iss, reason: "issuer")
    }
  }

  private static var processorTime: Double {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }
}
