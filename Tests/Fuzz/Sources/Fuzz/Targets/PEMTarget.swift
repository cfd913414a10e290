import GatehouseBase
import GatehouseJOSE

/// Keys in PEM. What does not begin with a dash is the DER inside: its first byte chooses the label before it.
enum PEMTarget: Target {
  static let name = "pem"
  static let longest = 12 << 10
  /// OpenSSL looks whether the primes of an RSA key of 8192 bits are primes, and hashes passphrases.
  static let patience = 30

  private static let passphrase = Secret("fuzz")
  private static let labels = [
    "PUBLIC KEY", "RSA PUBLIC KEY", "PRIVATE KEY", "RSA PRIVATE KEY", "EC PRIVATE KEY", "ENCRYPTED PRIVATE KEY",
  ]

  static func check(_ input: [UInt8]) {
    let text = input.first == UInt8(ascii: "-") ? String(decoding: input, as: UTF8.self) : block(input)
    if let key = attempt({ try PublicKey(pem: text) }) {
      require(blocks(in: text) == 1, "a key is read from a text with one")
      let written = sure { try key.pem() }
      require(attempt { try PublicKey(pem: written) } == key, "what is written is read")
    }
    let plain = attempt { try PrivateKey(pem: text) }
    let opened = attempt { try PrivateKey(pem: Secret(text), passphrase: passphrase) }
    require(plain == nil || opened == nil, "a key is encrypted or not")
    guard let key = plain ?? opened else { return }
    require(blocks(in: text) == 1, "a key is read from a text with one")
    let written = sure { try key.pem() }
    let again = attempt { try PrivateKey(pem: written) }
    require(again?.publicKey == key.publicKey, "what is written is read as the same key")
    require(attempt { try PublicKey(pem: written.revealed) } == nil, "a private key is private")
    let jwk = attempt { try JWK(.privateKey(key)).jsonRevealingSecrets() }
    let read = attempt { try jwk.map(JWK.init) }
    require(read??.key.publicKey == key.publicKey, "it is the same key in JSON")
  }

  /// How often a block begins; that of an EC key's parameters does not count.
  private static func blocks(in text: String) -> Int {
    let bytes = Array(text.utf8)
    return bytes.indices.count { place in
      bytes[place...].starts(with: "-----BEGIN ".utf8)
        && !bytes[place...].starts(with: "-----BEGIN EC PARAMETERS-----".utf8)
    }
  }

  private static func block(_ input: [UInt8]) -> String {
    let label = labels[Int(input.first ?? 0) % labels.count]
    var rest = Base64.encode(input.dropFirst())[...]
    var lines: [Substring] = []
    while !rest.isEmpty {
      lines.append(rest.prefix(64))
      rest = rest.dropFirst(64)
    }
    return "-----BEGIN \(label)-----\n\(lines.joined(separator: "\n"))\n-----END \(label)-----\n"
  }

  static func seeds(from harvest: Harvest) -> [[UInt8]] {
    let made = KeyTypes.small.map { type in sure { try PrivateKey.generate(type) } }
    let texts = made.flatMap { key in
      sure { [try key.pem().revealed, try key.publicKey.pem()] }
    }
    let all = texts + harvest.pem
    let inside = all.compactMap { text -> [UInt8]? in
      guard let place = labels.firstIndex(where: { text.hasPrefix("-----BEGIN \($0)-----") }) else { return nil }
      let lines = text.split(separator: "\n").filter { !$0.hasPrefix("-") }.joined()
      return (try? Base64.decode(lines)).map { [UInt8(place)] + $0 }
    }
    let long = String(repeating: " ", count: 254) + "-----BEGIN PRIVATE KEY-----\n"
    // A text with two blocks, one of which is hard to see.
    let two = ["-----BEGIN PRIVATE KEY----- \n", "-----BEGIN \u{301}PRIVATE KEY-----\n", long].flatMap { line in
      texts.prefix(2).map { $0.replacing("-----BEGIN PRIVATE KEY-----\n", with: line) + texts[1] }
    }
    return (all + two).map { Array($0.utf8) } + inside + harvest.der.map { [0] + $0 }
  }
}
