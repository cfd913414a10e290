package import GatehouseBase

/// The findings of one run as SARIF 2.1.0, the format that code scanning in CI reads.
package struct SARIFLog: Sendable {
  /// One finding, and the reason why it is suppressed, if it is.
  package struct Result: Sendable {
    package let report: WaitReport
    package let suppression: String?

    package init(_ report: WaitReport, suppression: String? = nil) {
      self.report = report
      self.suppression = suppression
    }
  }

  private let results: [Result]
  private let paths: SourcePaths

  /// - Parameter root: the absolute path of the folder to which files are relative.
  package init(_ results: [Result], root: String) {
    self.results = results
    paths = SourcePaths(root: root)
  }

  package var object: JSONObject {
    let driver: JSONObject = [
      "name": "gate queuecheck", "rules": .array(WaitReport.Kind.allCases.map { .object(rule($0)) }),
    ]
    let run: JSONObject = [
      "tool": ["driver": .object(driver)],
      "originalUriBaseIds": ["SRCROOT": ["uri": .string(paths.rootURI)]],
      "results": .array(results.map { .object(result($0)) }),
      "columnKind": "utf16CodeUnits",
    ]
    return [
      "$schema": "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json",
      "version": "2.1.0", "runs": [.object(run)],
    ]
  }

  private func rule(_ kind: WaitReport.Kind) -> JSONObject {
    let explanation = kind.explanation
    let words = kind.rawValue.split(separator: " ").map { $0.prefix(1).uppercased() + $0.dropFirst() }
    return [
      "id": .string(kind.identifier), "name": .string(words.joined()),
      "shortDescription": ["text": .string(explanation.meaning)],
      "help": ["text": .string("\(explanation.fix) See \(WaitReport.guide).")],
      "defaultConfiguration": ["level": "error"],
    ]
  }

  private func result(_ result: Result) -> JSONObject {
    let report = result.report
    var object: JSONObject = [
      "ruleId": .string(report.kind.identifier),
      "ruleIndex": .number(JSONNumber(WaitReport.Kind.allCases.firstIndex(of: report.kind) ?? 0)),
      "level": report.isNote ? "note" : "error",
      "message": ["text": .string("\(report.headline)\n\(report.summary)\nWhat to do: \(report.rule)")],
      "partialFingerprints": ["gatehouseWaits/v1": .string("\(report.kind.identifier): \(report.name)")],
      "stacks": .array(unique(report.waits.flatMap(stacks))),
    ]
    if let place = report.place { object["locations"] = [.object(location(place))] }
    if let reason = result.suppression {
      object["suppressions"] = [["kind": "external", "status": "accepted", "justification": .string(reason)]]
    }
    return object
  }

  /// Removes repeated values: SARIF requires unique stacks.
  private func unique(_ values: [JSONValue]) -> [JSONValue] {
    values.enumerated().filter { index, value in !values[..<index].contains(value) }.map(\.element)
  }

  private func stacks(of wait: WaitReport.Wait) -> [JSONValue] {
    func stack(_ message: String, _ frames: [WaitReport.Frame]) -> JSONValue? {
      guard !frames.isEmpty else { return nil }
      return [
        "message": ["text": .string(message)],
        "frames": .array(frames.map { ["location": .object(location($0)), "module": .string($0.image)] }),
      ]
    }
    return [
      stack("\(wait.held) held since", wait.heldAt),
      stack("thread \(wait.thread) waited for \(wait.asked)", wait.askedAt),
    ].compactMap(\.self)
  }

  private func location(_ frame: WaitReport.Frame) -> JSONObject {
    var object: JSONObject = ["message": ["text": .string(frame.function)]]
    object["logicalLocations"] = [["fullyQualifiedName": .string(frame.function), "kind": "function"]]
    guard frame.hasPlace, let file = frame.file, let line = frame.line else { return object }
    object["physicalLocation"] = [
      "artifactLocation": .object(paths.artifact(file)), "region": ["startLine": .number(JSONNumber(line))],
    ]
    return object
  }
}

extension WaitReport {
  /// The place in the program's sources for an annotation in CI: that of the first wait whose file is known.
  var place: Frame? {
    let frames = waits.lazy.flatMap { wait in [wait.askedAt, wait.heldAt] }.flatMap(\.self)
    return frames.first(where: \.hasPlace)
  }
}

extension WaitReport.Frame {
  /// Whether its file and line are known. A relative path does not count, because its base is unknown.
  fileprivate var hasPlace: Bool { file?.hasPrefix("/") == true && line.map { $0 > 0 } == true }
}

/// Paths of source files for tools that show a repository: relative to its root where that is possible.
struct SourcePaths: Sendable {
  private let root: String

  init(root: String) { self.root = root.hasSuffix("/") ? root : root + "/" }

  var rootURI: String { "file://" + Self.escaped(root) }

  /// The path relative to the root, or the whole path of a file outside the root.
  func relative(_ path: String) -> String { path.hasPrefix(root) ? String(path.dropFirst(root.count)) : path }

  func artifact(_ path: String) -> JSONObject {
    let relative = relative(path)
    guard relative.hasPrefix("/") else { return ["uri": .string(Self.escaped(relative)), "uriBaseId": "SRCROOT"] }
    return ["uri": .string("file://" + Self.escaped(relative))]
  }

  /// A path in a URI (RFC 3986): all but unreserved characters and slashes as `%XX`.
  private static func escaped(_ path: String) -> String {
    path.utf8.map { byte in
      switch byte {
      case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x2F, 0x5F, 0x7E: String(Unicode.Scalar(byte))
      default: "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
      }
    }.joined()
  }
}
