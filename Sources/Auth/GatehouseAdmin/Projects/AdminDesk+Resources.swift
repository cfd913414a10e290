import GatehouseBase
import IdentityToolkit

// Documents that an administrator configures.
extension AdminDesk {
  /// One page of documents, and the token of the next one.
  func page(
    of kind: ResourceKind, _ maxResults: Int, _ pageToken: String?
  ) async throws(AuthError) -> (documents: [JSONObject], nextPageToken: String?) {
    guard (1...Self.mostDocuments).contains(maxResults) else {
      throw AuthError(.invalidArgument, "a page has 1 to \(Self.mostDocuments) of these")
    }
    let json = try await answer(ListResources(kind, pageSize: maxResults, pageToken: pageToken)).json
    return (
      (json[kind.collection]?.array ?? []).compactMap(\.object),
      json["nextPageToken"]?.string.flatMap { $0.isEmpty ? nil : $0 }
    )
  }

  /// As many as Google's servers take.
  private static let mostDocuments = 100
}

extension String {
  /// An empty one would name all documents, and not one.
  func requireIdentifier() throws(AuthError) {
    guard !isEmpty else { throw AuthError(.invalidArgument, "the identifier is empty") }
  }
}

extension JSONObject {
  /// What stands behind the last slash of the document's name.
  func resourceID() throws(AuthError) -> String {
    guard let id = self["name"]?.string?.split(separator: "/").last else {
      throw AuthError(.responseInvalid, "the server's answer does not name a document; is its URL right?")
    }
    return String(id)
  }
}
