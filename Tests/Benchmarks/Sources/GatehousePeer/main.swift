import Foundation
import GatehouseJOSE
import TokenSamples

// Gatehouse as one of the peers; see Peers/README.md.
func processorTime() -> Double {
  var time = timespec()
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
  return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}

let arguments = CommandLine.arguments
guard arguments.count == 4, let seconds = Double(arguments[3]) else { exit(2) }
let folder = arguments[1]
guard let algorithm = SampleAlgorithm(rawValue: arguments[2]) else { exit(3) }

func bytes(_ name: String) throws -> [UInt8] {
  Array(try Data(contentsOf: URL(filePath: folder + "/\(algorithm.rawValue).\(name)")))
}

let token = String(decoding: try bytes("jwt"), as: UTF8.self)
let keys: JWKSet
if algorithm == .HS256 {
  keys = try JWKSet([JWK(.symmetric(SymmetricKey(bytes("key"))), keyID: FirebaseClaims.keyID)])
} else {
  keys = try JWKSet(parsing: bytes("jwks"))
}
let verifier = TokenVerifier(keys: keys, policy: TokenSample.policy(algorithm))

func verify(for seconds: Double) throws -> (count: Int, time: Double) {
  let begin = processorTime()
  var count = 0
  var time = 0.0
  repeat {
    for _ in 0..<20 { _ = try verifier.verify(token, at: Date().timeIntervalSince1970) }
    count += 20
    time = processorTime() - begin
  } while time < seconds
  return (count, time)
}

_ = try verify(for: seconds / 4)
let (count, time) = try verify(for: seconds)
print(count, time, "this clone (OpenSSL \(openSSLVersion))")
