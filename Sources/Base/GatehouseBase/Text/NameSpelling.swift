// Only ASCII letters change, because these are names of protocols.
extension String {
  /// The text in snake case: `local_id` for `localId`.
  package var snakeCased: String {
    guard utf8.contains(where: \.isUppercase) else { return self }
    var bytes: [UInt8] = []
    for byte in utf8 {
      if byte.isUppercase { bytes.append(UInt8(ascii: "_")) }
      bytes.append(byte.isUppercase ? byte | 0x20 : byte)
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// The text in camel case: `refreshToken` for `refresh_token`.
  package var camelCased: String {
    guard utf8.contains(UInt8(ascii: "_")) else { return self }
    var bytes: [UInt8] = []
    var beginsWord = false
    for byte in utf8 {
      guard byte != UInt8(ascii: "_") else {
        beginsWord = !bytes.isEmpty
        continue
      }
      bytes.append(beginsWord && byte.isLowercase ? byte & ~0x20 : byte)
      beginsWord = false
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}

extension UInt8 {
  fileprivate var isUppercase: Bool { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(self) }
  fileprivate var isLowercase: Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self) }
}
