import GatehouseBase

extension X509Certificate {
  /// The maximum number of certificates in one bundle.
  public static let maximumBundleCount = 1000

  /// Reads a text with exactly one `CERTIFICATE` block; `certificateInvalid` if there are none or more.
  public init(pem text: String) throws {
    let blocks = try Self.blocks(in: text, most: 1)
    guard let block = blocks.first else {
      throw AuthError(.certificateInvalid, "expected one CERTIFICATE block in the PEM text, found none")
    }
    try self.init(der: block)
  }

  /// Reads a bundle: up to `maximumBundleCount` `CERTIFICATE` blocks, with any text between them.
  ///
  /// If one block cannot be read, or is of another kind, throws `certificateInvalid` and returns none.
  public static func list(pem text: String) throws -> [X509Certificate] {
    var list: [X509Certificate] = []
    for block in try blocks(in: text, most: maximumBundleCount) { list.append(try X509Certificate(der: block)) }
    return list
  }

  /// The certificate as a `CERTIFICATE` block.
  public var pem: String {
    var lines = [begin]
    var rest = Base64.encode(der)[...]
    while !rest.isEmpty {
      lines.append(String(rest.prefix(64)))
      rest = rest.dropFirst(64)
    }
    return (lines + [end, ""]).joined(separator: "\n")
  }

  /// The bytes in each block (RFC 7468 §2 and §5), in order.
  private static func blocks(in text: String, most: Int) throws(AuthError) -> [[UInt8]] {
    var blocks: [[UInt8]] = []
    var open: [UInt8]?
    for line in text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: true) {
      let line = line.trimmingEnd()
      if line.elementsEqual(begin.utf8) {
        guard open == nil else { throw AuthError(.certificateInvalid, "unterminated PEM block") }
        guard blocks.count < most else {
          throw AuthError(.certificateInvalid, "the PEM text has more than \(most) certificates")
        }
        open = []
      } else if line.elementsEqual(end.utf8) {
        guard let spelled = open else {
          throw AuthError(.certificateInvalid, "PEM END line without a BEGIN line")
        }
        blocks.append(try bytes(of: spelled))
        open = nil
      } else if line.starts(with: "-----".utf8) {
        throw AuthError(.certificateInvalid, "the PEM text has a block that is not a certificate")
      } else if let spelled = open {
        guard spelled.count + line.count <= maximumBlockLength else {
          throw AuthError(.certificateInvalid, "a certificate has at most \(maximumLength) bytes")
        }
        open?.append(contentsOf: line)
      }
    }
    guard open == nil else { throw AuthError(.certificateInvalid, "unterminated PEM block") }
    return blocks
  }

  private static func bytes(of spelled: [UInt8]) throws(AuthError) -> [UInt8] {
    do { return try Base64.decode(spelled) } catch {
      throw AuthError(.certificateInvalid, "invalid base64 in the certificate: \(error.message)")
    }
  }

  /// In base64 characters.
  private static let maximumBlockLength = (maximumLength + 2) / 3 * 4
}

private let begin = "-----BEGIN CERTIFICATE-----"
private let end = "-----END CERTIFICATE-----"

extension Substring.UTF8View {
  /// Removes spaces, tabs and carriage returns at a line's end.
  fileprivate func trimmingEnd() -> Self {
    var line = self
    while let last = line.last, last == 0x20 || last == 0x09 || last == 0x0D { line = line.dropLast() }
    return line
  }
}
