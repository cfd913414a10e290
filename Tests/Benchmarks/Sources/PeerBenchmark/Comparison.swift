import Foundation
import TokenSamples

/// All peers on all tokens, in turns.
struct Comparison {
  static let rounds = 3
  static let algorithms: [SampleAlgorithm] = [.RS256, .ES256, .EdDSA, .HS256]

  private(set) var rows = ([Peer.gatehouse] + Peer.others).map(Row.init)

  mutating func run(_ options: Options) {
    for round in 1...Self.rounds {
      for algorithm in Self.algorithms {
        progress("round \(round) of \(Self.rounds), \(algorithm.rawValue)")
        for place in rows.indices { rows[place].run(algorithm, options) }
      }
    }
  }

  private func progress(_ line: String) { FileHandle.standardError.write(Data("\(line)\n".utf8)) }

  /// Ours ÷ theirs.
  func ratio(_ row: Row, _ algorithm: SampleAlgorithm) -> Double? {
    guard let ours = rows.first?.perSecond(algorithm), let theirs = row.perSecond(algorithm) else { return nil }
    return ours / theirs
  }
}

// MARK: The table

extension Comparison: CustomStringConvertible {
  /// The table as Markdown.
  var description: String {
    let titles = Self.algorithms.map(\.title)
    var lines = [
      "Tokens verified per second of processor time, and Gatehouse ÷ the peer; median of \(Self.rounds) rounds.", "",
      "| | " + titles.joined(separator: " | ") + " |", "|---|" + titles.map { _ in "---|" }.joined(),
    ]
    for row in rows {
      lines.append("| \(row.peer.name) | " + Self.algorithms.map { cell(row, $0) }.joined(separator: " | ") + " |")
    }
    lines.append("")
    for row in rows {
      let silences = Set(row.silences.values.filter { $0 != "not supported" }).sorted()
      let title = row.version.isEmpty ? row.peer.name : row.peer.name + " " + row.version
      lines.append(([title, row.peer.remark] + silences).filter { !$0.isEmpty }.joined(separator: "; "))
    }
    return lines.joined(separator: "\n")
  }

  private func cell(_ row: Row, _ algorithm: SampleAlgorithm) -> String {
    guard let perSecond = row.perSecond(algorithm) else {
      return row.silences[algorithm].map { String($0.prefix { $0 != ":" }) } ?? "-"
    }
    let figure = String(format: "%.0f", perSecond)
    guard row.peer.name != Peer.gatehouse.name, let ratio = ratio(row, algorithm) else { return figure }
    return figure + String(format: " (%.2f ×)", ratio)
  }
}

extension Comparison: Encodable {
  private struct Line: Encodable {
    let peer: String
    let version: String
    let algorithm: String
    let perSecond: Double?
    /// Ours ÷ theirs.
    let ratio: Double?
    let silence: String?
  }

  func encode(to encoder: any Encoder) throws {
    let lines = rows.flatMap { row in
      Self.algorithms.map { algorithm in
        Line(
          peer: row.peer.name, version: row.version, algorithm: algorithm.rawValue,
          perSecond: row.perSecond(algorithm), ratio: ratio(row, algorithm), silence: row.silences[algorithm])
      }
    }
    try ["peers": lines].encode(to: encoder)
  }
}
