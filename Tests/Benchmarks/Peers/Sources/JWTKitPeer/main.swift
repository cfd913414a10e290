import Foundation
import JWTKit

/// What a server checks, and nothing that it does not: the shortest payload that jwt-kit can decode.
struct IDToken: JWTPayload {
  let iss: IssuerClaim
  let aud: AudienceClaim
  let sub: SubjectClaim
  let iat: IssuedAtClaim
  let exp: ExpirationClaim

  func verify(using _: some JWTAlgorithm) async throws {
    try exp.verifyNotExpired()
    try aud.verifyIntendedAudience(includes: audience)
    guard iat.value <= Date() else { throw JWTError.claimVerificationFailure(failedClaim: iat, reason: "time") }
    guard iss.value == issuer else { throw JWTError.claimVerificationFailure(failedClaim: iss, reason: "issuer") }
  }
}

func processorTime() -> Double {
  var time = timespec()
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
  return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}

let arguments = CommandLine.arguments
guard arguments.count == 4, let seconds = Double(arguments[3]) else { exit(2) }
let folder = arguments[1]
let algorithm = arguments[2]

func text(_ name: String) throws -> String { try String(contentsOfFile: folder + "/" + name, encoding: .utf8) }

let issuer = try text("issuer")
let audience = try text("audience")
let token = Array(try text("\(algorithm).jwt").utf8)
let keys = JWTKeyCollection()
if algorithm == "HS256" {
  let secret = try Data(contentsOf: URL(filePath: folder + "/HS256.key"))
  await keys.add(hmac: HMACKey(from: secret), digestAlgorithm: .sha256)
} else {
  try await keys.add(jwksJSON: text("\(algorithm).jwks"))
}

func verify(for seconds: Double) async throws -> (count: Int, time: Double) {
  let begin = processorTime()
  var count = 0
  var time = 0.0
  repeat {
    for _ in 0..<20 { _ = try await keys.verify(token, as: IDToken.self) }
    count += 20
    time = processorTime() - begin
  } while time < seconds
  return (count, time)
}

_ = try await verify(for: seconds / 4)
let (count, time) = try await verify(for: seconds)
print(count, time, "5.7.1 (swift-crypto's BoringSSL)")
