import Foundation
import TokenSamples

// OpenSSL alone, over the bytes of the same token that are signed: nothing is taken apart, nothing is checked.
PeerProgram.run(version: openSSLVersion) { folder, algorithm in
  let token = Array(try Data(contentsOf: URL(filePath: folder + "/\(algorithm.rawValue).jwt")))
  let end = token.lastIndex(of: UInt8(ascii: ".")) ?? 0
  return try RawContext(RawKey(algorithm), message: Array(token[..<end])).verify
}
