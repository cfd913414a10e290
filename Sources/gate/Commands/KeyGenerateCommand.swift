import ArgumentParser
import GatehouseJOSE
import GatehouseSystem

/// `gate key generate`
struct KeyGenerateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "generate", abstract: "Make a private key or a shared secret.",
    discussion: """
      Without options it is a JWK for ES256, named by its thumbprint. --passphrase-file or --passphrase-stdin encrypts \
      PEM (PKCS#8, PBES2). With --out the answer is what gate key show says of the key.
      """)

  enum Kind: String, ExpressibleByArgument, CaseIterable { case rsa, ec, ed25519, ed448, x25519, oct }

  @Option(help: "The kind of key; oct is a shared secret.") var type = Kind.ec
  @Option(help: "The size: of RSA 2048 to 8192 (2048), of oct 128 to 8192 (256).") var bits: Int?
  @Option(help: "The curve of an EC key: P-256, P-384, P-521 or secp256k1.") var curve: String?
  @Option(help: "How it is written.") var format = KeyForm.jwk
  @OptionGroup var labels: KeyLabels
  @OptionGroup var passphrase: PassphraseOptions
  @OptionGroup var output: KeyOutput
  @OptionGroup var answer: AnswerOptions

  func validate() throws {
    if curve != nil, type != .ec { throw ValidationError("--curve is for --type ec") }
    if let curve, EllipticCurve(rawValue: curve) == nil {
      throw ValidationError("--curve is one of \(EllipticCurve.allCases.map(\.rawValue).joined(separator: ", "))")
    }
    switch (type, bits) {
    case (_, nil): break
    case (.rsa, let bits?) where (2048...8192).contains(bits) && bits % 8 == 0: break
    case (.oct, let bits?) where (128...8192).contains(bits) && bits % 8 == 0: break
    case (.rsa, _): throw ValidationError("--bits is a multiple of 8 from 2048 to 8192 for RSA")
    case (.oct, _): throw ValidationError("--bits is a multiple of 8 from 128 to 8192 for a shared secret")
    default: throw ValidationError("--bits is for --type rsa and oct")
    }
    if format == .pem {
      if type == .oct { throw ValidationError("a shared secret cannot be written as PEM") }
      if labels.areGiven { throw ValidationError("PEM holds no kid, alg or use") }
    } else if passphrase.fromStandardInput || passphrase.file != nil {
      throw ValidationError("a passphrase is for --format pem")
    }
  }

  func run() throws {
    // This check comes first, because making an RSA key takes time.
    try output.checkSecrecy()
    let passphrase = try passphrase.given()
    if type == .rsa, bits ?? 0 > 4096, InheritedDescriptor.error.isTerminal {
      StandardError.say("looking for large primes, which may take minutes")
    }
    let key = try labels.applied(to: made())
    try output.write(format.text(of: key, passphrase: passphrase), isSecret: true)
    if output.out != nil {
      let portrait = try KeyPortrait(key)
      try answer.write(portrait.text, json: portrait.json)
    }
  }

  /// Makes a new key. Unless the labels say otherwise, it is for what keys of its kind are mostly used for.
  private func made() throws -> JWK {
    let key: JWK.Key =
      if let keyType { .privateKey(try PrivateKey.generate(keyType)) } else {
        .symmetric(try SecretKey.generate(count: (bits ?? 256) / 8))
      }
    let algorithm = try labels.algorithm()
    if case .encryption? = algorithm { return try JWK(key, use: "enc") }
    guard labels.use != .enc, let usual = usualAlgorithm else { return try JWK(key, use: "enc") }
    return try JWK(key, algorithm: algorithm == nil ? usual : nil, use: "sig")
  }

  /// The type of the key; `nil` for a shared secret.
  private var keyType: KeyType? {
    switch type {
    case .rsa: .rsa(bits: bits ?? 2048)
    case .ec: .ec(curve.flatMap(EllipticCurve.init(rawValue:)) ?? .p256)
    case .ed25519: .ed25519
    case .ed448: .ed448
    case .x25519: .x25519
    case .oct: nil
    }
  }

  private var usualAlgorithm: JWSAlgorithm? {
    if let keyType { return JWSAlgorithm(for: keyType) }
    return switch bits ?? 256 {
    case 512...: .HS512
    case 384...: .HS384
    case 256...: .HS256
    default: nil
    }
  }
}
