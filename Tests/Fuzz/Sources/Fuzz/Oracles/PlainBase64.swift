/// Base64 read bit by bit: slow, and obviously right.
struct PlainBase64 {
  static let url = PlainBase64(last: "-_", pads: false)
  static let padded = PlainBase64(last: "+/", pads: true)

  private let alphabet: [UInt8]
  private let pads: Bool

  private init(last: String, pads: Bool) {
    alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789".utf8) + last.utf8
    self.pads = pads
  }

  /// The bytes that a text spells canonically, or `nil`.
  func decode(_ text: [UInt8]) -> [UInt8]? {
    var letters = text[...]
    if pads {
      guard text.count % 4 == 0 else { return nil }
      for _ in 0..<2 where letters.last == UInt8(ascii: "=") { letters.removeLast() }
    }
    var bits: [Bool] = []
    for letter in letters {
      guard let value = alphabet.firstIndex(of: letter) else { return nil }
      for place in stride(from: 5, through: 0, by: -1) { bits.append(value >> place & 1 == 1) }
    }
    let rest = bits.count % 8
    // A letter that no byte needs, or bits that no byte has.
    guard rest < 6, !bits.suffix(rest).contains(true) else { return nil }
    return stride(from: 0, to: bits.count - rest, by: 8).map { start in
      bits[start..<start + 8].reduce(0) { $0 << 1 | ($1 ? 1 : 0) }
    }
  }
}
