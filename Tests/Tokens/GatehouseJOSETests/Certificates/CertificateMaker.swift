import GatehouseBase
import GatehouseJOSE

/// Creates certificates for keys on P-256, valid from 2025 to 2049: a minimal DER implementation for chains with marks.
struct CertificateMaker {
  let name: String
  let key: PrivateKey

  init(_ name: String) {
    self.name = name
    key = TokenScene.made { try PrivateKey.generate(.p256) }
  }

  /// Certifies another key, or this maker's own.
  func certify(
    _ other: CertificateMaker, isCA: Bool = false, marks: [String] = [], usages: [String]? = nil
  ) throws -> X509Certificate {
    var extensions = [
      Self.extended("2.5.29.19", isCritical: true, DER.sequence(isCA ? [1, 1, 0xFF] : [])),
      // keyCertSign or digitalSignature.
      Self.extended("2.5.29.15", isCritical: true, isCA ? [3, 2, 2, 4] : [3, 2, 7, 0x80]),
      Self.extended("2.5.29.14", DER.element(4, try other.keyIdentifier)),
      Self.extended("2.5.29.35", DER.sequence(DER.element(0x80, try keyIdentifier))),
    ]
    extensions += marks.map { Self.extended($0, [5, 0]) }
    if let usages {
      extensions.append(Self.extended("2.5.29.37", DER.sequence(usages.flatMap { DER.identifier($0) })))
    }
    let times = ["250101000000Z", "490101000000Z"].flatMap { DER.element(0x17, Array($0.utf8)) }
    let content = DER.sequence(
      DER.element(0xA0, [2, 1, 2]) + [2, 1, 7] + Self.algorithm + issuerName + DER.sequence(times) + other.issuerName
        + (try other.publicKey) + DER.element(0xA3, DER.sequence(extensions.flatMap(\.self))))
    let signature = try TokenSigner(key: key, algorithm: .ES256).signature(of: content)
    let numbers = DER.sequence(DER.number(signature.prefix(32)) + DER.number(signature.suffix(32)))
    return try X509Certificate(der: DER.sequence(content + Self.algorithm + DER.element(3, [0] + numbers)))
  }

  private static let algorithm = DER.sequence(DER.identifier("1.2.840.10045.4.3.2"))

  private var issuerName: [UInt8] {
    DER.sequence(
      DER.element(0x31, DER.sequence(DER.identifier("2.5.4.3") + DER.element(0x0C, Array(name.utf8)))))
  }

  private var point: [UInt8] {
    get throws {
      guard case .ec(_, let x, let y) = key.publicKey.parameters else { throw AuthError(.keyInvalid, "no point") }
      return [4] + x + y
    }
  }

  private var publicKey: [UInt8] {
    get throws {
      DER.sequence(
        DER.sequence(DER.identifier("1.2.840.10045.2.1") + DER.identifier("1.2.840.10045.3.1.7"))
          + DER.element(3, [0] + (try point)))
    }
  }

  private var keyIdentifier: [UInt8] { get throws { Array(try HashAlgorithm.sha256.hash(point).prefix(20)) } }

  private static func extended(_ oid: String, isCritical: Bool = false, _ value: [UInt8]) -> [UInt8] {
    DER.sequence(DER.identifier(oid) + (isCritical ? [1, 1, 0xFF] : []) + DER.element(4, value))
  }
}

private enum DER {
  static func sequence(_ content: [UInt8]) -> [UInt8] { element(0x30, content) }

  static func element(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
    let count = content.count
    let length: [UInt8] =
      count < 0x80
      ? [UInt8(count)] : count < 0x100 ? [0x81, UInt8(count)] : [0x82, UInt8(count >> 8), UInt8(count & 0xFF)]
    return [tag] + length + content
  }

  static func number(_ digits: some Sequence<UInt8>) -> [UInt8] {
    let short = Array(digits.drop { $0 == 0 })
    return element(2, (short.first ?? 0x80) >= 0x80 ? [0] + short : short)
  }

  static func identifier(_ oid: String) -> [UInt8] {
    let numbers = oid.split(separator: ".").compactMap { Int($0) }
    var bytes = [UInt8(numbers[0] * 40 + numbers[1])]
    for number in numbers.dropFirst(2) {
      var digits = [UInt8(number & 0x7F)]
      var rest = number >> 7
      while rest > 0 {
        digits.append(UInt8(rest & 0x7F) | 0x80)
        rest >>= 7
      }
      bytes += digits.reversed()
    }
    return element(6, bytes)
  }
}
