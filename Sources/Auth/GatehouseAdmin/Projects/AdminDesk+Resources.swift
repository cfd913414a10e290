import GatehouseBase
import IdentityToolkit

// The documents that an administrator configures.
extension AdminDesk {
  /// Returns one page of documents, and the token of the next page.
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

  /// The limit of Google's servers.
  private static let mostDocuments = 100
}

extension String {
  /// Throws for an empty identifier, which would name all documents instead of one.
  func requireIdentifier() throws(AuthError) {
    guard !isEmpty else { throw AuthError(.invalidArgument, "the identifier is empty") }
  }
}

extension JSONObject {
  /// The part of the document's name after the last slash.
  func resourceID() throws(AuthError) -> String {
    guard let id = self["name"]?.string?.split(separator: "/").last else {
      throw AuthError(.responseInvalid, "the server's answer does not name a document; is its URL right?")
    }
    return String(id)
  }
}
