import Foundation
import TokenSamples

/// Everything that one run says.
struct Report: Encodable {
  let openSSL: String
  /// The tokens' lengths in bytes, by algorithm.
  let tokens: [String: Int]
  let figures: [Figure]

  init(_ samples: [TokenSample], _ figures: [Figure]) {
    openSSL = openSSLVersion
    tokens = Dictionary(uniqueKeysWithValues: samples.map { ($0.algorithm.rawValue, $0.token.utf8.count) })
    self.figures = figures
  }

  func json() throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(self), as: UTF8.self)
  }

  func text() -> String {
    let lengths = tokens.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: ", ")
    return """
      OpenSSL \(openSSL); Firebase ID tokens of so many bytes: \(lengths)
      raw: OpenSSL in a loop with contexts set up once; processor time, rounds in turns, medians

      \(figures.map(\.description).joined(separator: "\n"))
      """
  }
}
