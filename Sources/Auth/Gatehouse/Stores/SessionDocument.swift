import Foundation
import GatehouseBase

/// The file store's format for sessions: `{"format":1,"session":{…}}`, in UTF-8, or, with sessions that are set aside,
/// `{"format":2,"others":[…],"session":{…}}`. Format 3 is one of these, encrypted (`SealedDocument`).
///
/// A change that an older version would misread gets the next format number.
struct SessionDocument: Codable {
  static let currentFormat = 2
  /// The maximum length of a document, in bytes.
  static let limit = 1 << 20

  private var format: Int
  private var session: StoredSession?
  private var others: [StoredSession]?

  /// The reason why bytes are not a session.
  enum Fault: Error { case damaged, sealed, tooNew(format: Int), notEncodable }

  private init(_ shelf: SessionShelf) {
    format = shelf.others.isEmpty ? 1 : 2
    session = shelf.current
    others = shelf.others.isEmpty ? nil : shelf.others
  }

  static func encode(_ shelf: SessionShelf) throws(Fault) -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    guard let data = try? encoder.encode(SessionDocument(shelf)), data.count <= limit else {
      throw .notEncodable
    }
    return Array(data)
  }

  /// Decodes a document that is not encrypted; throws `.sealed` for one that is.
  ///
  /// The decoder's own errors quote what they read, which is secret, so they are dropped here.
  static func decode(_ bytes: [UInt8]) throws(Fault) -> SessionShelf {
    struct Header: Codable { let format: Int }
    let decoder = JSONDecoder()
    let data = Data(bytes)
    guard let format = (try? decoder.decode(Header.self, from: data))?.format, format > 0 else { throw .damaged }
    guard format != SealedDocument.format else { throw .sealed }
    guard format <= currentFormat else { throw .tooNew(format: format) }
    guard bytes.count <= limit, let document = try? decoder.decode(SessionDocument.self, from: data),
      document.session != nil || document.others?.isEmpty == false
    else { throw .damaged }
    return SessionShelf(current: document.session, others: document.others ?? [])
  }
}
