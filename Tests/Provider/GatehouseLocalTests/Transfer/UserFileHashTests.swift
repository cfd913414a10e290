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

  @Test func `a mistake has its line's number, and nothing of the line, which may be the key`() throws {
    let text = "hash_config {\n  algorithm: SCRYPT,\n  base64_signer_key bG9zdA==,\n}\n"
    let error = #expect(throws: AuthError.self) { try UserFileHash(reading: text.utf8) }
    let message = try #require(error?.message)
    #expect(message.contains("line 3 is not NAME: VALUE") && !message.contains("bG9zdA"), "\(message)")
  }
}
