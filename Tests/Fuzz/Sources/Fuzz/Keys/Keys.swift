import GatehouseJOSE

/// Keys to sign with what strangers could not, so that fuzzing gets past the signature.
///
/// They were made for this, guard nothing, and are none of those that the test vectors are signed with.
enum Keys {
  static let secret = key(
    """
    {"kty":"oct","kid":"secret","k":"KvjNKs_n-ksxyOLFo5tXRFvmqluM7S69EtHrIrs36SWnGElee4KBISHJi97BPtkP59FLGvqiNsSFI\
    y_HP5LsCA"}
    """)
  static let ed25519 = key(
    """
    {"kty":"OKP","kid":"ed","crv":"Ed25519","x":"Cz1xEh2CnLUNfGX_wRTpeDh01vtkNx0YH4m1IJzkNok","d":"rP0Dzq8GfyZvfZ5\
    AYLLCbfiLNuYepcT1VpACvwXooOE"}
    """)
  static let ec = key(
    """
    {"kty":"EC","kid":"ec","crv":"P-256","x":"F9GjZQKrI2PtGwy-RyOZzijmrGWCl1iNAF6KKCFGhnc","y":"7Ld2yVw87grVsManAU\
    Wd3RvTsjC8ms3TPSyum_INGSs","d":"mr_n-hXIfHiyZiPPoQD6ndYybcL2ETtiFDYUPzeN_Yo"}
    """)
  static let rsa = key(
    """
    {"kty":"RSA","kid":"rsa","n":"wSLo7e9kbzuY-o-8A60mR8nmK-tE3woxAqhup3ZRgEaU_XIXc7n2tyBKGMXTtY2oyGWw2uJq1hshdjpF\
    A9W9o6bVAAcOmwMOh2YJCEO9y-Vqsc-nkStMaTFJb4AJ6EH_JTHfpSLGWtgRoK2uXOK-wlhgzFYTRgfDueWvqJtAziGsXUzzwMdgKc3NiYIW-g\
    80x82Q4o-M4gPTTiV4vcLxd6grxvmXtBE6Upa3LrB86fnt021PePs22ODcFGvqRBSKixcHmtfXV26L5aDBEWMrhAHZRtM_yPsPlikTX-HL7UYq\
    dw6IX1hwo_8t7lRCF9d9H24w9STTCCCnOZWK1dcQQw","e":"AQAB","d":"Okx14ECnYfYs9tFFURzGldvpeS9i0iqq4aEDCdSqxFxJ4_k5AA\
    tN4DhEdZbdkYuJu7gKev_mfOuinaP4KjCuNkSJPiFjNMJm89MGffKoy2_cVYEXlTfrMEOa5afSFcQ6JrmXxyqokkpvg795hvtA1rxDt9pxpe15\
    FNeyvuPiW3YCiBSjuDsDvWwNX341J7Ka4ulxH-x_sDtfdi2LjSucafCCe8LQIz8LE_-eo84WWB4FV35NaEuZUhZLo19U8KBkv2tRAiay4LPtdP\
    lldOF0TfQGZOTJHN_fc3MRGs3btONuFJK-dEub--XCdqAb72D7y_yG_EwK4F0KKQdWkQcQdQ","p":"-WNT8ZOZ8WFt4jcp_YwG4ZatcHI35fP\
    aNgO40qLsgkTJY4e0WYV8P2iETcULQWlxPanDa4aPYCvQud50mF4uBvoZHe_XyogP472-QpvHBle8xlHi_QZaBqswL0Km30wsySY9QqR4CkHeS\
    ZlapHBmr9kir1Godz8AaG0eqKl8Er0","q":"xkHI-Z_UTcjgJs2agl4Pb0_XsMS_KDSKOI819VaQP815YTCtDFwAZ0Xj65-PX6SVA8QioPOXo\
    OX-iAUTjxu1zNh-ucmly2cDAi-MLHnu7La2QxqUrdy2Fc8i8PdLfqsw7sOpiZqGHy1Gf945N_-RbFRZ0bfXV7KVlB9c28NLXv8","dp":"wUGJ\
    sXDyIK2hm2WoMoUqZ_J94N-CFb6MYMMtnH0IzkJD1c85oQ3iJLj3ndSOTlhJmsFNYKvbu2j4zLBophKFlH6GrD5KePZLae6F29QfvPiMnxqhzf\
    X4GabbJiR-cBf1tMLfQh91rm0wttQR-8_mo2qeiEG9TPsTc9jro0QDk_k","dq":"hihmE2VwiOJxrFBdSfLUhwKEdn3szQwgrH1cihR1sHceu\
    AH0V_S54SiOPxfOMW5x2AaVWEz-QkbgorKstZ6Ou3uU5avqoWWnx4bdWAt6_nv1ghsumShNnxx4DI-Lar_1cNy-kPsb32UH2-dI2Pf8NE4wKZY\
    6BoI2bfF7KMtS6Yk","qi":"thB5ey8fw04MhUGvqBEOj-Pd7pLg8zvd5KHlGVbykT5PvGui88o_RhDI9dWuHSG6JLbFTvWNVwBUa5jRzzaph4\
    UkWbWl-N2y3md2DYt3OazP0TeTW_Rr5CO8Tt0bXzTRoH9-Vs7gdzk69hOJoL3haE358uIG9sme-qBfMc_RyDA"}
    """)

  static let publicSet = set([ed25519, ec, rsa])
  static let secretSet = sure { try JWKSet([secret]) }

  /// Other keys by the same names: nothing is ever good by them.
  static let strangePublicSet = sure {
    set([
      try JWK(.privateKey(.generate(.okp(.ed25519))), keyID: "ed"),
      try JWK(.privateKey(.generate(.ec(.p256))), keyID: "ec"),
      try JWK(.privateKey(.generate(.rsa(bits: 2048))), keyID: "rsa"),
    ])
  }
  static let strangeSecretSet = sure {
    try JWKSet([JWK(.symmetric(.generate(count: 64)), keyID: "secret")])
  }

  /// A signer with one of the keys.
  static func signer(_ key: JWK, _ algorithm: JWSAlgorithm? = nil) -> TokenSigner {
    sure { try TokenSigner(key, algorithm: algorithm) }
  }

  private static func set(_ keys: [JWK]) -> JWKSet {
    sure { try JWKSet(keys.compactMap(\.publicJWK)) }
  }

  private static func key(_ json: String) -> JWK { sure { try JWK(parsing: json.utf8) } }
}
