import GatehouseBase
import GatehouseLocal
import Testing

/// The parameters of a file's password hashes.
struct UserFileHashTests {
  @Test(arguments: [
    "hash_config {\n  algorithm: SCRYPT,\n  base64_signer_key: a2V5==,\n  base64_salt_separator: Bw==,\n  rounds: 8,\n"
      + "  mem_cost: 14,\n}\n",
    "algorithm: scrypt\nbase64_signer_key: \"a2V5==\"\nrounds: 8\nmem_cost: 14\n",
    #"{"algorithm": "SCRYPT", "base64_signer_key": "a2V5==", "rounds": 8, "mem_cost": "14"}"#,
    #"{"hashAlgorithm": "SCRYPT", "signerKey": "a2V5==", "rounds": 8, "memoryCost": 14}"#,
    #"{"hash-algo": "SCRYPT", "hash-key": "a2V5==", "rounds": 8, "mem-cost": 14}"#,
  ])
  func `the console's block and JSON are read`(text: String) throws {
    let hash = try UserFileHash(reading: text.utf8)
    #expect("\(hash)" == "SCRYPT" && !"\(hash)".contains("a2V5") && String(reflecting: hash) == "SCRYPT")
  }

  @Test(arguments: [
    "", "hash_config {}", "rounds: 8", "algorithm: ROT13", "algorithm: SCRYPT, rounds: 8, mem_cost: 14",
    "algorithm: BCRYPT, speed: 4", "algorithm: SHA1, rounds: many", "algorithm: SHA1, rounds: 9000", "algorithm BCRYPT",
    "algorithm: BCRYPT\nalgorithm: BCRYPT", #"{"algorithm": ["BCRYPT"]}"#, #"{"algorithm": "ARGON2"}"#,
  ])
  func `parameters that cannot be are refused`(text: String) throws {
    #expect(throws: AuthError.self) { try UserFileHash(reading: text.utf8) }
  }

  @Test(arguments: [
    ("algorithm: SCRYPT, rounds: 8, mem_cost: 14", "the line base64_signer_key is missing"),
    ("algorithm: SCRYPT, base64_signer_key: a2V5, mem_cost: 14", "the line rounds is missing"),
    ("algorithm: SCRYPT, base64_signer_key: a2V5, rounds: 8", "the line mem_cost is missing"),
    ("algorithm: SCRYPT, base64_signer_key: a2V5, rounds: 8, mem_cost: 15", "mem_cost must be 1 to 14"),
    ("algorithm: SCRYPT, base64_signer_key: a2V5, rounds: 9, mem_cost: 14", "rounds must be 1 to 8"),
    (
      "algorithm: SCRYPT, base64_signer_key: \"\", rounds: 8, mem_cost: 1",
      "base64_signer_key must have 1 to 1024 bytes"
    ),
    ("hash-algo: HMAC_SHA1", "the line hash-key is missing"),
    (#"{"hash-algo": "SCRYPT", "rounds": 8, "mem-cost": 1}"#, "hash-key is missing"),
    (#"{"hashAlgorithm": "SCRYPT", "signerKey": "a2V5", "rounds": 8}"#, "memoryCost is missing"),
    (#"{"hashAlgorithm": "HMAC_MD5"}"#, "signerKey is missing"),
    (
      #"{"algorithm": "STANDARD_SCRYPT", "mem_cost": 3, "block_size": 1, "parallelization": 1, "dk_len": 32}"#,
      "mem_cost must be a power of two"
    ),
    ("algorithm: SHA1, rounds: many", "rounds is no whole number"),
  ])
  func `a parameter has the name that the file gives it`(text: String, reason: String) throws {
    let error = #expect(throws: AuthError.self) { try UserFileHash(reading: text.utf8) }
    #expect(error?.message == "the parameters of the password hashes cannot be read: \(reason)")
    #expect(error?.code == .invalidArgument)
  }

  @Test func `a mistake has its line's number, and nothing of the line, which may be the key`() throws {
    let text = "hash_config {\n  algorithm: SCRYPT,\n  base64_signer_key bG9zdA==,\n}\n"
    let error = #expect(throws: AuthError.self) { try UserFileHash(reading: text.utf8) }
    let message = try #require(error?.message)
    #expect(message.contains("line 3 is not NAME: VALUE") && !message.contains("bG9zdA"), "\(message)")
  }
}
