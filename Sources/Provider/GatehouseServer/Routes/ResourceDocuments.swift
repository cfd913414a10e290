import GatehouseBase
import GatehouseCrypto

/// A document of JSON that an administrator writes.
enum ResourceDocument {
  /// The request's body, without what only the server writes.
  static func body(of routed: RoutedRequest) throws -> JSONObject {
    guard !routed.request.body.isEmpty else { return [:] }
    var document: JSONObject
    do throws(AuthError) {
      document = try JSONObject(parsing: routed.request.body, limits: routed.scene.options.json)
    } catch { throw Refusal.unreadable(error.message) }
    document["name"] = nil
    return document
  }
}

/// A change of a document: the members that a mask names, or all that are sent.
struct ResourceChange: Sendable {
  private let body: JSONObject
  private let paths: [[String]]

  private static let mostPaths = 100
  private static let mostSteps = 8

  init(of routed: RoutedRequest) throws {
    body = try ResourceDocument.body(of: routed)
    let mask = routed.item("updateMask").map { $0.split(separator: ",").map(String.init) } ?? body.names
    paths = mask.map { $0.split(separator: ".", omittingEmptySubsequences: false).map(String.init) }
      .filter { $0 != ["name"] }
    guard paths.count <= Self.mostPaths, paths.allSatisfy({ $0.count <= Self.mostSteps && !$0.contains("") }) else {
      throw Refusal.invalid("updateMask names members as in a.b,c: at most \(Self.mostPaths) of them")
    }
  }

  /// The document with the change: what the mask names and the body has not is taken away.
  func applied(to document: JSONObject) -> JSONObject {
    paths.reduce(document) { document, path in
      var document = document
      // Of two rules for regions one holds: to set it takes the other away.
      if path.count > 1, path[0] == "smsRegionConfig", let rules = document[path[0]]?.object, rules[path[1]] == nil {
        document[path[0]] = nil
      }
      return Self.set(path[...], in: document, to: body)
    }
  }

  private static func set(_ path: ArraySlice<String>, in document: JSONObject, to body: JSONObject) -> JSONObject {
    guard let name = path.first else { return document }
    var document = document
    if path.count == 1 {
      document[name] = body[name]
    } else {
      document[name] = .object(
        set(path.dropFirst(), in: document[name]?.object ?? [:], to: body[name]?.object ?? [:]))
    }
    return document
  }
}

/// A page of documents.
struct ResourcePage {
  let size: Int
  /// The identifier behind which the page begins.
  let after: String

  private static let most = 1000

  init(of routed: RoutedRequest) throws {
    size = routed.item("pageSize").map { Int($0) ?? 0 } ?? Self.most
    after = routed.item("pageToken") ?? ""
    guard (1...Self.most).contains(size) else { throw Refusal.invalid("pageSize must be 1 to \(Self.most)") }
  }

  func answer(_ name: String, _ found: [(id: String, document: JSONObject)]) -> ServerResponse {
    var json: JSONObject = [:]
    if !found.isEmpty { json[name] = .array(found.map { .object($0.document) }) }
    // A full page may be the last one: then the next one is empty.
    if found.count == size { json["nextPageToken"] = found.last.map { .string($0.id) } }
    return ServerResponse(json: json)
  }
}

/// The identifier of a new tenant.
enum TenantName {
  /// The letters and digits of its name, and five more so that no other tenant has it.
  static func identifier(for name: String) throws(AuthError) -> String {
    let letters = Array("abcdefghijklmnopqrstuvwxyz0123456789".utf8)
    let beginning = name.lowercased().utf8.filter { letters.contains($0) || $0 == UInt8(ascii: "-") }.prefix(40)
    var end: [UInt8] = []
    while end.count < 5 {
      // 252 = 7 * 36: the bytes above it would make the first letters likelier than the others.
      end += try RandomBytes.make(8).filter { $0 < 252 }.map { letters[Int($0) % letters.count] }
    }
    let text = beginning.isEmpty ? Array("tenant".utf8) : Array(beginning)
    return String(decoding: text + [UInt8(ascii: "-")] + end.prefix(5), as: UTF8.self)
  }
}

extension JSONObject {
  /// The document with its name, which comes first.
  func named(_ name: String) -> JSONObject {
    var object: JSONObject = ["name": .string(name)]
    for member in names { object[member] = self[member] }
    // As Google's servers do.
    if object["testPhoneNumbers"]?.object?.isEmpty == true { object["testPhoneNumbers"] = nil }
    for member in ["emailPrivacyConfig", "responseType"] {
      guard var value = object[member]?.object else { continue }
      // Google's servers leave out what is `false` there, and their clients' tests look for that.
      for name in value.names where value[name]?.bool == false { value[name] = nil }
      object[member] = .object(value)
    }
    return object
  }
}
