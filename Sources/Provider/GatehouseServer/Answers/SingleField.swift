import GatehouseBase
import GatehouseHTTP

/// A header field that a request may have once. The server reads these fields as cases, so that none of them is read
/// unless a second one is refused (`requireSingleFields`): of two fields, two readers could use different ones.
///
/// `X-Forwarded-For` is not here, because its lines are one list (RFC 9110 §5.3). The parser checks `Content-Length`.
enum SingleField: String, CaseIterable {
  case host = "Host"
  case origin = "Origin"
  case referer = "Referer"
  case fetchSite = "Sec-Fetch-Site"
  case authorization = "Authorization"
  case apiKey = "X-Goog-Api-Key"
  case device = "X-Gatehouse-Device"
  case contentType = "Content-Type"
  case contentEncoding = "Content-Encoding"
  case locale = "X-Firebase-Locale"
  case requestedHeaders = "Access-Control-Request-Headers"
  case requestedPrivateNetwork = "Access-Control-Request-Private-Network"
}

extension SingleField {
  private static let all = allCases.map { (field: $0, name: $0.rawValue) }

  fileprivate init?(named name: String) {
    guard let found = Self.all.first(where: { TransportHeaders.isSame($0.name, name) }) else { return nil }
    self = found.field
  }
}

extension ServerRequest {
  /// Returns the value of a field; `nil` for none.
  func value(of field: SingleField) -> String? { headers.values(of: field.rawValue).first }

  /// Refuses a request that has one of the fields several times, or a value that takes long to compare.
  func requireSingleFields() throws(Refusal) {
    Steps.add(headers.fields.count)
    var seen: [SingleField] = []
    for field in headers.fields {
      guard field.value.isStreamSafe else {
        throw .invalid("a header field has a character with more than \(CombiningMarks.mostInRow) combining marks")
      }
      guard let single = SingleField(named: field.name) else { continue }
      guard !seen.contains(single) else {
        throw .invalid("the request has the header field \(single.rawValue) several times; send one")
      }
      seen.append(single)
    }
  }
}
