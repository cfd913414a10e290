import GatehouseBase
import IdentityToolkit

/// A change of a document: the members that a mask names, or all members of the body.
struct DocumentChange: Sendable {
  private let body: JSONObject
  private let paths: [[String]]

  private static let mostPaths = 100
  private static let mostSteps = 8

  /// - Parameter isEmulator: whether members without effect are taken, as Firebase's emulator takes them.
  init(to body: JSONObject, mask: [String]?, of kind: ResourceKind, isEmulator: Bool) throws(AuthError) {
    let form = DocumentForm.of(kind), body = try form.normal(body)
    self.body = body
    paths = (mask ?? body.names).map {
      form.normal(path: $0.split(separator: ".", omittingEmptySubsequences: false).map(String.init))
    }.filter { $0 != ["name"] }
    guard paths.count <= Self.mostPaths, paths.allSatisfy({ $0.count <= Self.mostSteps && !$0.contains("") }) else {
      throw AuthError(
        .invalidArgument, "updateMask names members as in a.b,c: at most \(Self.mostPaths) of them",
        server: .invalidArgument)
    }
    // A part of a list cannot be set: it would replace the list, and what that asks for would be gone.
    guard paths.allSatisfy(form.has) else {
      throw AuthError(
        .invalidArgument, "updateMask names a list or a value as a whole, and no part of it", server: .invalidArgument)
    }
    if !isEmulator { try form.requireEffect(of: changed) }
  }

  /// The members that the change sets.
  var changed: JSONObject { applied(to: [:]) }

  /// Returns the document with the change. A member that the mask names and the body lacks is removed.
  func applied(to document: JSONObject) -> JSONObject {
    paths.reduce(document) { document, path in
      var document = document
      // Only one of the two rules for regions can be set; setting one removes the other.
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
      document[name] = .object(set(path.dropFirst(), in: document[name]?.object ?? [:], to: body[name]?.object ?? [:]))
    }
    return document
  }
}
