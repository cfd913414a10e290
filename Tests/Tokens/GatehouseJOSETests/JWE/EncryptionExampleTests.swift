import GatehouseBase
import GatehouseCrypto
import GatehouseJOSE
import TestSupport
import Testing

/// An example from an RFC. Its random values are known, so encrypting produces the same message again.
struct EncryptionExample: Sendable, CustomTestStringConvertible {
  let source: String
  let key: String
  let plaintext: String
  let message: String
  /// The content encryption key, if it is random.
  var contentKey: String?
  /// The sender's ephemeral key, for a key agreement.
  var ephemeralKey: String?

  var testDescription: String { source }

  /// The plaintext of RFC 7520.
  static let friends = """
    You can trust us to stick with you through thick and thin\u{2013}to the bitter end. And you can trust us to keep \
    any secret of yours\u{2013}closer than you keep it yourself. But you cannot trust us to let you face trouble alone, \
    and go off without a word. We are your friends, Frodo.
    """

  static let all = [
    EncryptionExample(
      source: "RFC 7516 A.3, A128KW and A128CBC-HS256",
      key: #"{"kty":"oct","k":"GawgguFyGrWKav7AX4VKUg"}"#, plaintext: "Live long and prosper.",
      message: """
        eyJhbGciOiJBMTI4S1ciLCJlbmMiOiJBMTI4Q0JDLUhTMjU2In0.6KB707dM9YTIgHtLvtgWQ8mKwboJW3of9locizkDTHzBC2IlrT1o\
        OQ.AxY8DCtDaGlsbGljb3RoZQ.KDlTtXchhZTGufMYmOYGS4HffxPSUrfmqCHXaI9wOGY.U0m_YmjN04DJvceFICbCVQ
        """,
      contentKey: "BNMfxVSd_P4LZJ36P6pqzmt81C1vawnbyLEA8I-cLM8"),
    EncryptionExample(
      source: "RFC 7520 5.4, ECDH-ES+A128KW on P-384 and A128GCM",
      key: """
        {"kty":"EC","kid":"peregrin.took@tuckborough.example","use":"enc","crv":"P-384","x":"YU4rRUzdmVqmRtWOs2O\
        pDE_T5fsNIodcG8G5FWPrTPMyxpzsSOGaQLpe2FpxBmu2","y":"A8-yxCHxkfBz3hKZfI1jUYMjUhsEveZ9THuwFjH2sCNdtksRJU7D\
        5-SkgaFL1ETP","d":"iTx2pk7wW-GqJkHcEkFQb2EFyYcO7RugmaW3mRrQVAOUiPommT0IdnYK2xDlZh-j"}
        """, plaintext: friends,
      message: """
        eyJhbGciOiJFQ0RILUVTK0ExMjhLVyIsImtpZCI6InBlcmVncmluLnRvb2tAdHVja2Jvcm91Z2guZXhhbXBsZSIsImVwayI6eyJrdHki\
        OiJFQyIsImNydiI6IlAtMzg0IiwieCI6InVCbzRrSFB3Nmtiang1bDB4b3dyZF9vWXpCbWF6LUdLRlp1NHhBRkZrYllpV2d1dEVLNml1\
        RURzUTZ3TmROZzMiLCJ5Ijoic3AzcDVTR2haVkMyZmFYdW1JLWU5SlUyTW84S3BvWXJGRHI1eVBOVnRXNFBnRXdaT3lRVEEtSmRhWTh0\
        YjdFMCJ9LCJlbmMiOiJBMTI4R0NNIn0.0DJjBXri_kBcC46IkU5_Jk9BqaQeHdv2.mH-G2zVqgztUtnW_.tkZuOO9h95OgHJmkkrfLBi\
        sku8rGf6nzVxhRM3sVOhXgz5NJ76oID7lpnAi_cPWJRCjSpAaUZ5dOR3Spy7QuEkmKx8-3RCMhSYMzsXaEwDdXta9Mn5B7cCBoJKB0Ig\
        Enj_qfo1hIi-uEkUpOZ8aLTZGHfpl05jMwbKkTe2yK3mjF6SBAsgicQDVCkcY9BLluzx1RmC3ORXaM0JaHPB93YcdSDGgpgBWMVrNU1E\
        rkjcMqMoT_wtCex3w03XdLkjXIuEr2hWgeP-nkUZTPU9EoGSPj6fAS-bSz87RCPrxZdj_iVyC6QWcqAu07WNhjzJEPc4jVntRJ6K53Ng\
        PQ5p99l3Z408OUqj4ioYezbS6vTPlQ.WuGzxmcreYjpHGJoa17EBg
        """,
      contentKey: "Nou2ueKlP70ZXDbq9UrRwg",
      ephemeralKey: """
        {"kty":"EC","crv":"P-384","x":"uBo4kHPw6kbjx5l0xowrd_oYzBmaz-GKFZu4xAFFkbYiWgutEK6iuEDsQ6wNdNg3","y":"sp\
        3p5SGhZVC2faXumI-e9JU2Mo8KpoYrFDr5yPNVtW4PgEwZOyQTA-JdaY8tb7E0","d":"D5H4Y_5PSKZvhfVFbcCYJOtcGZygRgfZkps\
        Br59Icmmhe9sW6nkZ8WfwhinUfWJg"}
        """),
    EncryptionExample(
      source: "RFC 7520 5.5, ECDH-ES on P-256 and A128CBC-HS256",
      key: """
        {"kty":"EC","kid":"meriadoc.brandybuck@buckland.example","use":"enc","crv":"P-256","x":"Ze2loSV3wrroKUN_\
        4zhwGhCqo3Xhu1td4QjeQ5wIVR0","y":"HlLtdXARY_f55A3fnzQbPcm6hgr34Mp8p-nuzQCE0Zw","d":"r_kHyZ-a06rmxM3yESK8\
        4r1otSg-aQcVStkRhA-iCM8"}
        """, plaintext: friends,
      message: """
        eyJhbGciOiJFQ0RILUVTIiwia2lkIjoibWVyaWFkb2MuYnJhbmR5YnVja0BidWNrbGFuZC5leGFtcGxlIiwiZXBrIjp7Imt0eSI6IkVD\
        IiwiY3J2IjoiUC0yNTYiLCJ4IjoibVBVS1RfYkFXR0hJaGcwVHBqanFWc1AxclhXUXVfdndWT0hIdE5rZFlvQSIsInkiOiI4QlFBc0lt\
        R2VBUzQ2ZnlXdzVNaFlmR1RUMElqQnBGdzJTUzM0RHY0SXJzIn0sImVuYyI6IkExMjhDQkMtSFMyNTYifQ..yc9N8v5sYyv3iGQT926I\
        Ug.BoDlwPnTypYq-ivjmQvAYJLb5Q6l-F3LIgQomlz87yW4OPKbWE1zSTEFjDfhU9IPIOSA9Bml4m7iDFwA-1ZXvHteLDtw4R1XRGMEs\
        DIqAYtskTTmzmzNa-_q4F_evAPUmwlO-ZG45Mnq4uhM1fm_D9rBtWolqZSF3xGNNkpOMQKF1Cl8i8wjzRli7-IXgyirlKQsbhhqRzkv8\
        IcY6aHl24j03C-AR2le1r7URUhArM79BY8soZU0lzwI-sD5PZ3l4NDCCei9XkoIAfsXJWmySPoeRb2Ni5UZL4mYpvKDiwmyzGd65KqVw\
        7MsFfI_K767G9C9Azp73gKZD0DyUn1mn0WW5LmyX_yJ-3AROq8p1WZBfG-ZyJ6195_JGG2m9Csg.WCCkNa-x4BeB9hIDIfFuhg
        """,
      ephemeralKey: """
        {"kty":"EC","crv":"P-256","x":"mPUKT_bAWGHIhg0TpjjqVsP1rXWQu_vwVOHHtNkdYoA","y":"8BQAsImGeAS46fyWw5MhYfG\
        TT0IjBpFw2SS34Dv4Irs","d":"AtH35vJsQ9SGjYfOsjUxYXQKrPH3FjZHmEtSKoSN8cM"}
        """),
    EncryptionExample(
      source: "RFC 7520 5.6, dir and A128GCM",
      key: """
        {"kty":"oct","kid":"77c7e2b8-6e13-45cf-8672-617b5b45243a","use":"enc","alg":"A128GCM","k":"XctOhJAkA-pD9\
        Lh7ZgW_2A"}
        """, plaintext: friends,
      message: """
        eyJhbGciOiJkaXIiLCJraWQiOiI3N2M3ZTJiOC02ZTEzLTQ1Y2YtODY3Mi02MTdiNWI0NTI0M2EiLCJlbmMiOiJBMTI4R0NNIn0..ref\
        a467QzzKx6QAB.JW_i_f52hww_ELQPGaYyeAB6HYGcR559l9TYnSovc23XJoBcW29rHP8yZOZG7YhLpT1bjFuvZPjQS-m0IFtVcXkZXd\
        H_lr_FrdYt9HRUYkshtrMmIUAyGmUnd9zMDB2n0cRDIHAzFVeJUDxkUwVAE7_YGRPdcqMyiBoCO-FBdE-Nceb4h3-FtBP-c_BIwCPTjb\
        9o0SbdcdREEMJMyZBH8ySWMVi1gPD9yxi-aQpGbSv_F9N4IZAxscj5g-NJsUPbjk29-s7LJAGb15wEBtXphVCgyy53CoIKLHHeJHXex4\
        5Uz9aKZSRSInZI-wjsY0yu3cT4_aQ3i1o-tiE-F8Ios61EKgyIQ4CWao8PFMj8TTnp.vbb32Xvllea2OtmHAdccRQ
        """),
    EncryptionExample(
      source: "RFC 7520 5.8, A128KW and A128GCM",
      key: """
        {"kty":"oct","kid":"81b20965-8332-43d9-a468-82160ad91ac8","use":"enc","alg":"A128KW","k":"GZy6sIZ6wl9NJO\
        KB-jnmVQ"}
        """, plaintext: friends,
      message: """
        eyJhbGciOiJBMTI4S1ciLCJraWQiOiI4MWIyMDk2NS04MzMyLTQzZDktYTQ2OC04MjE2MGFkOTFhYzgiLCJlbmMiOiJBMTI4R0NNIn0.\
        CBI6oDw8MydIx1IBntf_lQcw2MmJKIQx.Qx0pmsDa8KnJc9Jo.AwliP-KmWgsZ37BvzCefNen6VTbRK3QMA4TkvRkH0tP1bTdhtFJgJx\
        eVmJkLD61A1hnWGetdg11c9ADsnWgL56NyxwSYjU1ZEHcGkd3EkU0vjHi9gTlb90qSYFfeF0LwkcTtjbYKCsiNJQkcIp1yeM03OmuiYS\
        oYJVSpf7ej6zaYcMv3WwdxDFl8REwOhNImk2Xld2JXq6BR53TSFkyT7PwVLuq-1GwtGHlQeg7gDT6xW0JqHDPn_H-puQsmthc9Zg0ojm\
        JfqqFvETUxLAF-KjcBTS5dNy6egwkYtOt8EIHK-oEsKYtZRaa8Z7MOZ7UGxGIMvEmxrGCPeJa14slv2-gaqK0kEThkaSqdYw0FkQZF.E\
        R7MWJZ1FBI_NKvn7Zb1Lw
        """,
      contentKey: "aY5_Ghmk9KxWPBLu_glx1w"),
    // Its ephemeral private key does not belong to the message.
    EncryptionExample(
      source: "The cookbook's ECDH-ES with X25519 and A128GCM",
      key: """
        {"kty":"OKP","kid":"Bob","use":"enc","crv":"X25519","x":"3p7bfXt9wbTTW2HC7OQ1Nz-DQ8hbeGdNrfx-FG-IK08","d\
        ":"XasIfmJKikt54X-Lg4AO5m87sSkmGLb9HC-LJ_-I4Os"}
        """, plaintext: friends,
      message: """
        eyJhbGciOiJFQ0RILUVTIiwia2lkIjoiQm9iIiwiZXBrIjp7Imt0eSI6Ik9LUCIsImNydiI6IlgyNTUxOSIsIngiOiJ4dlhIaDNRMlM0\
        Vm90WGdCZGRHV0RfS2huellaX2V1QjJlYWVrTHZ2QURVIn0sImVuYyI6IkExMjhHQ00ifQ..0tCoBvRfolezYjpJ.cX3qZ4cfxiyr_Le\
        em1b69MeLo-BHsMJy6RetGse91pgXjR7X87k1e7dJliYfzgseMV9dcVo3i1cAPeU2jkDCxrjxIBW0iUlF3JfkVH7DU3B8GxzkblOJKwJ\
        E58Sd0rJEN9rSwfLf66sbTiY_vGYf7cZhbWhj6wwBnICFfaRh_2NubCdma7zX_vsdaGJXHn-6-jjR9UaQUbJD-tPn5UAW8Sa9lPAcncY\
        ZywscUM-FET3tePOH2h_xv_LFGuN2KYJ3BED_Eyo--oSX17DD7ksSt0wfzy_TWczaG1E_TWn4nvP6T6d5nMp9OdfLWQNopQHoQGWlPba\
        RLHCk2mNl1K5GsJ6Q4tjSdFWpqRDpQUz2eYAk.Yd4jUyp_PC5cACOwaAGwUQ
        """),
  ]
}

/// The examples are embedded, so that a copy without the folder of vectors is tested too.
struct `The RFCs' encrypted examples` {
  @Test(arguments: EncryptionExample.all)
  func `are decrypted`(example: EncryptionExample) throws {
    let keys = try DecryptionKeys([JWK(parsing: example.key.utf8)])
    let decrypter = TokenDecrypter(keys: keys, policy: EncryptionScene.policy)
    let decrypted = try decrypter.decrypt(example.message)
    #expect(String(validating: decrypted.plaintext, as: UTF8.self) == example.plaintext)
  }

  @Test(arguments: EncryptionExample.all.filter { !$0.source.contains("cookbook") })
  func `are encrypted again, letter for letter`(example: EncryptionExample) throws {
    let parts = example.message.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    let header = try JSONObject(parsing: Base64URL.decode(parts[0]))
    let encrypter = try TokenEncrypter(
      JWK(parsing: example.key.utf8), algorithm: #require(JWEAlgorithm(rawValue: header["alg"]?.string ?? "")),
      encryption: #require(ContentEncryption(rawValue: header["enc"]?.string ?? "")))
    let ephemeralKey = try example.ephemeralKey.map { try JWK(parsing: $0.utf8).key.privateKey } ?? nil
    let randomness = EncryptionRandomness(
      contentKey: try example.contentKey.map { SecretBytes(try Base64URL.decode($0)) },
      nonce: try Base64URL.decode(parts[2]), ephemeralKey: ephemeralKey)
    #expect(
      try encrypter.encrypt(Array(example.plaintext.utf8), header: header, randomness: randomness) == example.message)
  }
}
