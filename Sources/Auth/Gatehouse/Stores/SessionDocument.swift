import Foundation
import GatehouseBase

/// A session as the file store writes it: `{"format":1,"session":{…}}`, in UTF-8.
///
/// A change that an older version would misread gets the next format number.
struct SessionDocument: Codable {
  static let currentFormat = 1
  /// The longest document, in bytes.
  static let limit = 1 << 20

  private var format = currentFormat
  private var session: StoredSession

  /// Why some bytes are not a session.
  enum Fault: Error { case damaged, tooNew(format: Int), notEncodable }

  static func encode(_ session: StoredSession) throws(Fault) -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    guard let data = try? encoder.encode(SessionDocument(session: session)), data.count <= limit else {
      throw .notEncodable
    }
    return Array(data)
  }

  /// The decoder's own errors quote what they read, which is secret: they are dropped here.
  static func decode(_ bytes: [UInt8]) throws(Fault) -> StoredSession {
    struct Header: Codable { let format: Int }
    let decoder = JSONDecoder()
    let data = Data(bytes)
    guard let format = (try? decoder.decode(Header.self, from: data))?.format, format > 0 else { throw .damaged }
    guard format <= currentFormat else { throw .tooNew(format: format) }
    guard let document = try? decoder.decode(SessionDocument.self, from: data) else { throw .damaged }
    return document.session
  }
}
