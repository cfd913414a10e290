import Foundation
import GatehouseJOSE

/// The first inputs from some folders, by shape, whatever their source and their place in a file.
///
/// The public test vectors may be missing; the targets then begin with what they make themselves, and with `Seeds`.
struct Harvest {
  /// Texts with two dots.
  private(set) var tokens: [String] = []
  /// Texts with four dots.
  private(set) var encrypted: [String] = []
  private(set) var keys: [JSONObject] = []
  private(set) var keySets: [JSONObject] = []
  /// JWS in JSON, flattened and general.
  private(set) var messages: [JSONObject] = []
  /// JWE in JSON, flattened and general.
  private(set) var encryptedMessages: [JSONObject] = []
  private(set) var pem: [String] = []
  /// Keys in DER.
  private(set) var der: [[UInt8]] = []

  /// Requests as `RequestTarget` reads them.
  private(set) var requests: [[UInt8]] = []

  /// Texts for readers of JSON, good and bad ones.
  private(set) var json: [[UInt8]] = []

  init(from folders: [String]) {
    let limits = JSONLimits(bytes: 64 << 20, depth: 32, members: 4096, nameBytes: 4096)
    for file in folders.flatMap(Self.files) {
      guard let bytes = try? Data(contentsOf: file) else { continue }
      switch file.pathExtension {
      case "json" where file.path.contains("/JSONTestSuite/"): json.append(Array(bytes))
      case "json": if let value = try? JSONValue(parsing: bytes, limits: limits) { gather(value) }
      case "pem": pem.append(String(decoding: bytes, as: UTF8.self))
      default: break
      }
    }
  }

  /// Every object that was found.
  var objects: [JSONObject] { keys + keySets + messages }

  private mutating func gather(_ value: JSONValue) {
    switch value {
    case .string(let text): gather(text)
    case .array(let elements): for element in elements { gather(element) }
    case .object(let object):
      if object["kty"] != nil { keys.append(object) }
      if object["keys"] != nil { keySets.append(object) }
      if object["signature"] != nil || object["signatures"] != nil { messages.append(object) }
      if object["ciphertext"] != nil, object["iv"] != nil { encryptedMessages.append(object) }
      if let request = object["request"]?.string { requests.append(Array(request.utf8)) }
      if let hex = object["publicKeyDer"]?.string { der.append(Self.bytes(hex: hex)) }
      for member in object.members { gather(member.value) }
    default: break
    }
  }

  private mutating func gather(_ text: String) {
    guard text.utf8.count < 16 << 10 else { return }
    if text.hasPrefix("-----BEGIN ") { pem.append(text) }
    guard text.hasPrefix("ey") else { return }
    switch text.utf8.count(where: { $0 == UInt8(ascii: ".") }) {
    case 2: tokens.append(text)
    case 4: encrypted.append(text)
    default: break
    }
  }

  private static func files(below folder: String) -> [URL] {
    let found = FileManager.default.enumerator(at: URL(fileURLWithPath: folder), includingPropertiesForKeys: nil)
    return (found?.compactMap { $0 as? URL } ?? []).filter { !$0.hasDirectoryPath }.sorted { $0.path < $1.path }
  }

  private static func bytes(hex: String) -> [UInt8] {
    let digits = hex.compactMap(\.hexDigitValue)
    return stride(from: 0, to: digits.count - 1, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
  }
}
