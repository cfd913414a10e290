import GatehouseBase
import IdentityToolkit

/// Other systems hash `correct horse` like this, and two vectors of Google's. Made with Python's hashlib and
/// argon2-cffi.
enum Making: String, CaseIterable, Sendable {
  case hmacSHA512, hmacSHA256, hmacSHA1, hmacMD5, sha512, sha256Twice, sha1Thrice, md5Twice, hexadecimalMD5
  case passwordFirst, separator, pbkdf2, django, pbkdf1, scrypt, argon2id, argon2i, bcrypt, firebase, firebaseShort

  var password: String {
    switch self {
    case .bcrypt: "abcdefghijklmnopqrstuvwxyz"
    case .firebase: "user1password"
    case .firebaseShort: "password"
    default: "correct horse"
    }
  }

  func call(_ user: ImportedAccount) -> ImportAccounts {
    var user = user
    user.salt = Secret("TmFDbA==")
    var call = ImportAccounts(users: [])
    func set(_ algorithm: String, _ hash: String, rounds: Int? = nil) {
      call.hashAlgorithm = algorithm
      call.rounds = rounds
      user.passwordHash = Secret(hash)
    }
    switch self {
    case .hmacSHA512:
      set(
        "HMAC_SHA512",
        "ZZk_YbJBVOL8J1fI7JP_Vcla2l-ozBFbyALsDu7iGIpJk2EZ9O0p6z9OqbhY5w6ctTeKgoRun4iZq7xyeEwndQ")
      call.signerKey = Secret("a2V5IG9mIGFuIGhtYWM=")
    case .hmacSHA256:
      set("HMAC_SHA256", "O2ws8Gmy1wg95dtbhEK1daI1nbFugeNUg3rzFeSRu9M=")
      call.signerKey = Secret("a2V5IG9mIGFuIGhtYWM=")
    case .hmacSHA1:
      set("HMAC_SHA1", "saNa0jLzzmLeU4x5xP4c6QEITw8=")
      call.signerKey = Secret("a2V5IG9mIGFuIGhtYWM")
    case .hmacMD5:
      set("HMAC_MD5", "pVY+P9SY1BCccKp+niS51w==")
      call.signerKey = Secret("a2V5IG9mIGFuIGhtYWM=")
    case .sha512:
      set(
        "SHA512",
        "4IdaenA5cN2AZMoR0rnpk8WGwSlhiitcbUzmUBLT5xl6QkBdyfrgySC9Y6m6UmeYUA5iRt0+CZ1dDFAbCVUfNg==", rounds: 1)
    case .sha256Twice: set("SHA256", "KlTLHlt4UYu++pWiDDSwZCc1cH91zSWV/hL7GS0N9lc=", rounds: 2)
    case .sha1Thrice: set("SHA1", "2Cs2yfKn+Zs2/cqtwj42RIBz2/E=", rounds: 3)
    case .md5Twice: set("MD5", "/IHkN/KpU7agGiI9y/EXxQ==", rounds: 2)
    case .hexadecimalMD5: set("MD5", "ZDg5N2NjNTRlOTRmZTMzZTRkYTM5ODU5OWNiZGZiZWM=", rounds: 0)
    case .passwordFirst:
      set("SHA256", "RZt1ffPUBCPIm1ExiBme2/Pq6LjxmOV+UuwTDxYUEXk=", rounds: 1)
      call.passwordHashOrder = "PASSWORD_AND_SALT"
    case .separator:
      set("SHA256", "UjtXfDYNcEAVB3de4UMtHNjloLR/BD0Vyx0u7tJLsbc=", rounds: 1)
      call.saltSeparator = "fA=="
    case .pbkdf2:
      set(
        "PBKDF2_SHA256",
        "NeoqbYq7133tGXeYtJ8BiS56Vy39IoV51nWmzhMhL43zLRpfSIoPdMP2eiXtjN1GBNuMerOEgdQXeq0cIDI3zw==", rounds: 100)
    case .django:
      set("PBKDF2_SHA256", "xnejKOevrAif/44AUI+pDW+h0fTjDzQV/f43Mt8wM9k=", rounds: 1_200_000)
    case .pbkdf1: set("PBKDF_SHA1", "ns0xSl+k1uwpd8i4gIgs1M+CKgY=", rounds: 10)
    case .scrypt:
      set(
        "STANDARD_SCRYPT",
        "MSiJwC9ZguMu7d/HwPslFokudr3cDg35xe5d+wLMDxQjs2K93+bdiRfUdOIx/OTkUhAzTItUp6GGyo/yCMHI1w==")
      (call.cpuMemCost, call.blockSize, call.parallelization, call.dkLen) = (1024, 8, 16, 64)
    case .argon2id, .argon2i:
      let isID = self == .argon2id
      set("ARGON2", isID ? "ZdBTTpw8BQMLIW1eFSQuXrzS8bj/a1ZbmCQUlUBp/yA=" : "YinPh6kQhH1xi8USsD9D+8sPl+Kju3LO")
      user.salt = Secret("ZWlnaHQgYnl0ZXMgc2FsdA==")
      var parameters = ImportAccounts.Argon2Parameters()
      parameters.hashType = isID ? "ARGON2_ID" : "ARGON2_I"
      parameters.version = isID ? nil : "VERSION_10"
      parameters.hashLengthBytes = isID ? 32 : 24
      parameters.iterations = isID ? 2 : 3
      parameters.memoryCostKib = isID ? 64 : 32
      parameters.parallelism = isID ? 2 : 1
      call.argon2Parameters = parameters
    case .bcrypt:
      set("BCRYPT", "JDJhJDA2JC5yQ1ZaVk9UaHNJYTk3cEVET3h2R3VSUmd6RzY0YnZ0SjA5Mzh4dXF6djE4ZDNacFFoc3RD")
      user.salt = nil
    case .firebase, .firebaseShort:
      set(
        "SCRYPT",
        self == .firebase
          ? "lSrfV15cpx95/sZS2W9c9Kp6i/LVgQNDNC/qzrCnh1SAyZvqmZqAjTdn3aoItz+VHjoZilo78198JAdRuid5lQ=="
          : "V358E8LdWJXAO7muq0CufVpEOXaj8aFiC7T/rcaGieN04q/ZPJ08WhJEHGjj9lz/2TT+/86N5VjVoc5DdBhBiw==", rounds: 8)
      call.memoryCost = 14
      call.saltSeparator = "Bw=="
      call.signerKey = Secret(
        "jxspr8Ki0RYycVU8zykbdLGjFQ3McFUH0uiiTvC8pVMXAn210wjLNmdZJzxUECKbm0QsEmYUSDzZvpjeJ9WmXA==")
      if self == .firebase { user.salt = Secret("42xEC+ixf3L2lw==") }
    }
    call.users = [user]
    return call
  }
}
