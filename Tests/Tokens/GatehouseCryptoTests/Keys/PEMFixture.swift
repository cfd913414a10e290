// Keys for the tests only, because they are public. They were created once, in an empty folder, with OpenSSL's command
// (3.0):
//
//   openssl genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:2048 -out rsa.pem
//   openssl rsa -in rsa.pem -traditional -out rsaPKCS1.pem
//   openssl pkey -in rsa.pem -pubout -out rsaPublic.pem
//   openssl rsa -in rsa.pem -RSAPublicKey_out -out rsaPublicPKCS1.pem
//   openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out ec.pem
//   openssl ec -in ec.pem -out ecSEC1.pem
//   openssl pkey -in ec.pem -pubout -out ecPublic.pem
//   openssl pkcs8 -topk8 -in ec.pem -v2 aes-128-cbc -passout pass:correct -out ecEncrypted.pem
//   openssl ec -in ec.pem -aes128 -passout pass:correct -out ecLegacy.pem
//   openssl ecparam -name prime256v1 -genkey -out ecParameters.pem
//   openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -pkeyopt ec_param_enc:explicit -out ecExplicit.pem
//   openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-224 -out p224.pem
//   openssl genpkey -algorithm ED25519 -out ed25519.pem
//   openssl pkey -in ed25519.pem -pubout -out ed25519Public.pem
//   openssl genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:1024 -out weak.pem
//   openssl pkey -in weak.pem -pubout -out weakPublic.pem
//   openssl genpkey -algorithm RSA-PSS -pkeyopt rsa_keygen_bits:2048 | openssl pkey -pubout -out pssPublic.pem
//
// The keys with their public half are that of RFC 8410 §10.3, the same without its attributes, and those above with
// version 1 and the public half added to their DER.

/// The text of each file, by its name.
enum PEMFixture {
  static let rsa = """
    -----BEGIN PRIVATE KEY-----
    MIIEvgIBADANBgkqhkiG9w0BAQEFAASCBKgwggSkAgEAAoIBAQCj6oUSZ4pLz3vi
    FabTI0n5cC9kBKtVqw4Vqf0n3xjeOk3nTMTgxmCz3iDamWeWNLf8EG1ooiiluu49
    d5L2GKUDgMX36VrCwUhQNybKZ0T2BnerNYdfyLqZLpOgeOybzZkzAbxgtZTFQaRQ
    bEUeZA9NHlNylvQjh1LEdFxlzcKZCGa+UpYiy/8CdHaVWhlPqpAGKPyTrjQW5vfN
    BDo0BnT6JDaPMec9zKV1J9NTMZw/ISTs/cp7p7XlcgbGxfWyZSr/zetM8rlx2778
    zs7yn8ISWcnzgbx0R6B3c1ylTjP/7A0Q3Z2+avXaK4MKQBTgh9D6NAYU85umcZyl
    LJhYWFHJAgMBAAECggEAApMYjbxTWWM8B4YuSX7yhqDW17f0jnsKNLgnriiEihoJ
    lvZXWc333x9gLfrOnBb+JE8IPuZcI9VCsHO4OtYSgnJzeZRAXRJ+3aauHOwAEuqx
    Vr63nn8nQihvgGvh0IUrULgoYq77dBk2uN4ofESXUm9lYWWCVmwF1mja+izgD3oC
    Prshzdv0NqSe3Fe9mD0KI+r27ob8I9vDju82ig2jaRR59VsBgdAHNsw7fwhklzLb
    xyzXrIWPaymRwZhryA7gvn4mPsvnAZKhHVS0ZDwuAJUSMRuNlXBdV4y/rY3GmiG7
    OZf8dK/ma/8QurHDDaRjBY/wpSOjYk0HWWdDVOlvUQKBgQDNhPOYml9WzPzJqjGd
    ma3I2djYHgx9aBOg51NAWXEYNieji6I7aOdv8nHF4X8cT2g6uJ0niqtQDVF+iuSt
    T8J/BwKUL0HSi0YBxCnQFd5YLJA+nDgER0WLErTaOPG3/RYM2rHD0f21NvUkI6Om
    4HORXlcgAqNozKzGCB55wjSLkQKBgQDMLY67IjV9sGUdnhGWe1r4XPAXKAdTbjhM
    juQ+pRndCaY0nSuLLGVflVB7HVrttllEOUJdR0lyIV7hqSsVGOORbL5ZViuOtq1x
    YRozIl9Oich7OYIQNzeraKN4LsI5Ul3K6P4MTaPYTgmkkGDeL3hmis5EdmeR9dys
    +VroW9EWuQKBgQClHoJQQwcCSCN5KuI+CvCTBGOyD0JdpzbN+czrUHEK0Me8ID2x
    mbEIQjOilm93oVzOgPDSihjlci3di1362LAdOtaZk/ZAYGFYnfAyHL/M+9DQXNas
    qU54VAk1orah6hbDMRnNiHNcGtGNvYyIUKDJVJCPSU9crcTKPk+t55gr4QKBgQCy
    2J0Tsi1kwWRxAwqo47iVoOL1hayVGhDajrfDX989zLv3jkycBfFuPl5W2SnS201q
    AzXsewsMm8p+pC4Gttxvf+9kVaSlx8I5dDL843jUVMB1n7Qb/CIZVPkLxvl+OHXL
    zTbrE/8W85Riv8z6El7Gg4OWWJj0M4ZvRaSpr/OAkQKBgDq+9+c+ZAXY3xIKYSnr
    TRG6PXNLC8NZ9MyYfujp9Y8PBa02TaAWXSpUMCWvPkZYreqLD2FrVZKlZxC3jZXj
    IA2GGQiJzx6g9h4kHFvTy7+Mirf0DfGpSUbRSu7rwnxMJfBB3A/0iQ/I8DsFQ2EH
    WRebMenyJrqkRk19TBekoBzF
    -----END PRIVATE KEY-----

    """
  static let rsaPKCS1 = """
    -----BEGIN RSA PRIVATE KEY-----
    MIIEpAIBAAKCAQEAo+qFEmeKS8974hWm0yNJ+XAvZASrVasOFan9J98Y3jpN50zE
    4MZgs94g2plnljS3/BBtaKIopbruPXeS9hilA4DF9+lawsFIUDcmymdE9gZ3qzWH
    X8i6mS6ToHjsm82ZMwG8YLWUxUGkUGxFHmQPTR5Tcpb0I4dSxHRcZc3CmQhmvlKW
    Isv/AnR2lVoZT6qQBij8k640Fub3zQQ6NAZ0+iQ2jzHnPcyldSfTUzGcPyEk7P3K
    e6e15XIGxsX1smUq/83rTPK5cdu+/M7O8p/CElnJ84G8dEegd3NcpU4z/+wNEN2d
    vmr12iuDCkAU4IfQ+jQGFPObpnGcpSyYWFhRyQIDAQABAoIBAAKTGI28U1ljPAeG
    Lkl+8oag1te39I57CjS4J64ohIoaCZb2V1nN998fYC36zpwW/iRPCD7mXCPVQrBz
    uDrWEoJyc3mUQF0Sft2mrhzsABLqsVa+t55/J0Iob4Br4dCFK1C4KGKu+3QZNrje
    KHxEl1JvZWFlglZsBdZo2vos4A96Aj67Ic3b9DakntxXvZg9CiPq9u6G/CPbw47v
    NooNo2kUefVbAYHQBzbMO38IZJcy28cs16yFj2spkcGYa8gO4L5+Jj7L5wGSoR1U
    tGQ8LgCVEjEbjZVwXVeMv62NxpohuzmX/HSv5mv/ELqxww2kYwWP8KUjo2JNB1ln
    Q1Tpb1ECgYEAzYTzmJpfVsz8yaoxnZmtyNnY2B4MfWgToOdTQFlxGDYno4uiO2jn
    b/JxxeF/HE9oOridJ4qrUA1RforkrU/CfwcClC9B0otGAcQp0BXeWCyQPpw4BEdF
    ixK02jjxt/0WDNqxw9H9tTb1JCOjpuBzkV5XIAKjaMysxggeecI0i5ECgYEAzC2O
    uyI1fbBlHZ4Rlnta+FzwFygHU244TI7kPqUZ3QmmNJ0riyxlX5VQex1a7bZZRDlC
    XUdJciFe4akrFRjjkWy+WVYrjratcWEaMyJfTonIezmCEDc3q2ijeC7COVJdyuj+
    DE2j2E4JpJBg3i94ZorORHZnkfXcrPla6FvRFrkCgYEApR6CUEMHAkgjeSriPgrw
    kwRjsg9CXac2zfnM61BxCtDHvCA9sZmxCEIzopZvd6FczoDw0ooY5XIt3Ytd+tiw
    HTrWmZP2QGBhWJ3wMhy/zPvQ0FzWrKlOeFQJNaK2oeoWwzEZzYhzXBrRjb2MiFCg
    yVSQj0lPXK3Eyj5PreeYK+ECgYEAstidE7ItZMFkcQMKqOO4laDi9YWslRoQ2o63
    w1/fPcy7945MnAXxbj5eVtkp0ttNagM17HsLDJvKfqQuBrbcb3/vZFWkpcfCOXQy
    /ON41FTAdZ+0G/wiGVT5C8b5fjh1y8026xP/FvOUYr/M+hJexoODlliY9DOGb0Wk
    qa/zgJECgYA6vvfnPmQF2N8SCmEp600Ruj1zSwvDWfTMmH7o6fWPDwWtNk2gFl0q
    VDAlrz5GWK3qiw9ha1WSpWcQt42V4yANhhkIic8eoPYeJBxb08u/jIq39A3xqUlG
    0Uru68J8TCXwQdwP9IkPyPA7BUNhB1kXmzHp8ia6pEZNfUwXpKAcxQ==
    -----END RSA PRIVATE KEY-----

    """
  static let rsaPublic = """
    -----BEGIN PUBLIC KEY-----
    MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAo+qFEmeKS8974hWm0yNJ
    +XAvZASrVasOFan9J98Y3jpN50zE4MZgs94g2plnljS3/BBtaKIopbruPXeS9hil
    A4DF9+lawsFIUDcmymdE9gZ3qzWHX8i6mS6ToHjsm82ZMwG8YLWUxUGkUGxFHmQP
    TR5Tcpb0I4dSxHRcZc3CmQhmvlKWIsv/AnR2lVoZT6qQBij8k640Fub3zQQ6NAZ0
    +iQ2jzHnPcyldSfTUzGcPyEk7P3Ke6e15XIGxsX1smUq/83rTPK5cdu+/M7O8p/C
    ElnJ84G8dEegd3NcpU4z/+wNEN2dvmr12iuDCkAU4IfQ+jQGFPObpnGcpSyYWFhR
    yQIDAQAB
    -----END PUBLIC KEY-----

    """
  static let rsaPublicPKCS1 = """
    -----BEGIN RSA PUBLIC KEY-----
    MIIBCgKCAQEAo+qFEmeKS8974hWm0yNJ+XAvZASrVasOFan9J98Y3jpN50zE4MZg
    s94g2plnljS3/BBtaKIopbruPXeS9hilA4DF9+lawsFIUDcmymdE9gZ3qzWHX8i6
    mS6ToHjsm82ZMwG8YLWUxUGkUGxFHmQPTR5Tcpb0I4dSxHRcZc3CmQhmvlKWIsv/
    AnR2lVoZT6qQBij8k640Fub3zQQ6NAZ0+iQ2jzHnPcyldSfTUzGcPyEk7P3Ke6e1
    5XIGxsX1smUq/83rTPK5cdu+/M7O8p/CElnJ84G8dEegd3NcpU4z/+wNEN2dvmr1
    2iuDCkAU4IfQ+jQGFPObpnGcpSyYWFhRyQIDAQAB
    -----END RSA PUBLIC KEY-----

    """
  static let ec = """
    -----BEGIN PRIVATE KEY-----
    MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg89+FortjZXrCLsjJ
    GNfywzzPfJA0wH0++QS2nPRDseahRANCAASy2Lnntmf9IcO7EjwPp8iJNvFve504
    rwzOtEhvQPDxkGN3ujCrBe1wXNoPiMzH3Qh+rVrkReDRqdFDxaRYZ5ZW
    -----END PRIVATE KEY-----

    """
  static let ecSEC1 = """
    -----BEGIN EC PRIVATE KEY-----
    MHcCAQEEIPPfhaK7Y2V6wi7IyRjX8sM8z3yQNMB9PvkEtpz0Q7HmoAoGCCqGSM49
    AwEHoUQDQgAEsti557Zn/SHDuxI8D6fIiTbxb3udOK8MzrRIb0Dw8ZBjd7owqwXt
    cFzaD4jMx90Ifq1a5EXg0anRQ8WkWGeWVg==
    -----END EC PRIVATE KEY-----

    """
  static let ecPublic = """
    -----BEGIN PUBLIC KEY-----
    MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEsti557Zn/SHDuxI8D6fIiTbxb3ud
    OK8MzrRIb0Dw8ZBjd7owqwXtcFzaD4jMx90Ifq1a5EXg0anRQ8WkWGeWVg==
    -----END PUBLIC KEY-----

    """
  static let ecEncrypted = """
    -----BEGIN ENCRYPTED PRIVATE KEY-----
    MIHsMFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAiXu+WGcWxXvgICCAAw
    DAYIKoZIhvcNAgkFADAdBglghkgBZQMEAQIEEEYv528jju+K0i+0+RNmcTMEgZCu
    6T/1yi1bYaKzSDoclvtnoW6ItMWq/ZRZeswdZrlTYirUowL4mfk2f4pe31b9/boc
    mvWGV/usM6kIuVrS6vO/wT/o0oOQnOqYDPNbuunx1oibFnfqRjWPNnag+/1WknRh
    0YPxhops3GYOEMHHHXyyEyeYln+YUfAJ2axYhlSLEoIOTD/JJDs158n3ciw8LyI=
    -----END ENCRYPTED PRIVATE KEY-----

    """
  static let ecLegacy = """
    -----BEGIN EC PRIVATE KEY-----
    Proc-Type: 4,ENCRYPTED
    DEK-Info: AES-128-CBC,239F74270B1F4C7D2CB2C013E2BF6F05

    e8zzZAzBXHjctOOc+gmN49wzLEER7xzPmljOuKj0nNvNB94MKq/8Uf4nJrXsqSl7
    GNukoH8in1wfiO4gzT57t15Gtt2o7cceH5IzIN+rGazlREPv/hdluCulTCRiSRPS
    IdMVjawmWd2hfQyJ2pkIXinrwC7wJVtD2m09OmzTVoo=
    -----END EC PRIVATE KEY-----

    """
  static let ecParameters = """
    -----BEGIN EC PARAMETERS-----
    BggqhkjOPQMBBw==
    -----END EC PARAMETERS-----
    -----BEGIN EC PRIVATE KEY-----
    MHcCAQEEIK1FumHPisd3WBCnNmw0jWbTbDDRlgHx5qPC7MvE7/gpoAoGCCqGSM49
    AwEHoUQDQgAEWTphcoDLT8s+zE+XbgbLVXinrALjlgIuihcxC4IhSdbVHQISMRUQ
    3ZwqQFGMtrwI30DKg37+uIirSd8Xup9ZTw==
    -----END EC PRIVATE KEY-----

    """
  static let ecExplicit = """
    -----BEGIN PRIVATE KEY-----
    MIIBeQIBADCCAQMGByqGSM49AgEwgfcCAQEwLAYHKoZIzj0BAQIhAP////8AAAAB
    AAAAAAAAAAAAAAAA////////////////MFsEIP////8AAAABAAAAAAAAAAAAAAAA
    ///////////////8BCBaxjXYqjqT57PrvVV2mIa8ZR0GsMxTsPY7zjw+J9JgSwMV
    AMSdNgiG5wSTamZ44ROdJreBn36QBEEEaxfR8uEsQkf4vOblY6RA8ncDfYEt6zOg
    9KE5RdiYwpZP40Li/hp/m47n60p8D54WK84zV2sxXs7LtkBoN79R9QIhAP////8A
    AAAA//////////+85vqtpxeehPO5ysL8YyVRAgEBBG0wawIBAQQg6vo8Tjb4159K
    4T5JBLR6VHexvTG/HZ2gm1WeUKaPNQ6hRANCAAQRk0MjMuCZXolngLLYf7vGUlzP
    3KRDA2Tlz4gxpDBonAz/6cwZmrtHWN5OE/kuYUzxTOB4X/2qzuZR/2gHNPOt
    -----END PRIVATE KEY-----

    """
  static let p224 = """
    -----BEGIN PRIVATE KEY-----
    MHgCAQAwEAYHKoZIzj0CAQYFK4EEACEEYTBfAgEBBBxO0xWxaLWZzPAaKUEd4Akk
    EslYSzmrYSfjT4iioTwDOgAEgaKJdwjLikIoRfdKTC611puFnI9qT7lMjzkant2Z
    uMKdvPRAAiV8ggrzI6M1YDNPLW+t5QHWjFo=
    -----END PRIVATE KEY-----

    """
  static let ed25519 = """
    -----BEGIN PRIVATE KEY-----
    MC4CAQAwBQYDK2VwBCIEIHSHD9vwY7QFX7HScO9hyhInaydexXvrUGaUf7RsMpl0
    -----END PRIVATE KEY-----

    """
  static let ed25519Public = """
    -----BEGIN PUBLIC KEY-----
    MCowBQYDK2VwAyEAbRuybsiyXx0Y6MaFg9dTWWqTd6WE3X93JsFP2ACFABo=
    -----END PUBLIC KEY-----

    """
  static let weak = """
    -----BEGIN PRIVATE KEY-----
    MIICdQIBADANBgkqhkiG9w0BAQEFAASCAl8wggJbAgEAAoGBAK6KMHAskdONgg0o
    cJ32gIkB8UsYiz/x3pt3fVnyOl+VLfObJcY2VJiEHYd25DcUOFcFKMz4mO5nNKvK
    csSH2sH9/tPGiEcnsbh/0u2bLqDiGR1dQGUfgnaIYaDw05EPg4eVTLhUBEop6Vw/
    BQMyumD306uc27+mf3N1k4Zx1c/XAgMBAAECgYBvRw1Axzmlzednaiv6meky8Hkd
    LqXA+/y308Oob+XFgL/OO1EnAQaIQlrtPeCcORj+afysSaZ/AG+1QxpOsGrIC4a+
    PKUy92/JFsXnZURO0uQz1EJwuvWxHEWrL9bt0AhBghxvFk4a7bHPGWPc82eC2Ekg
    xDJhaY47nPwP9A9taQJBAOFs5UBzKnnTzC5Kp3YtMrwo84ebMhz3AE/YUIudnf8r
    N6kN9db5xzGoWCIzLgUjesOZP1+nwlYyA+41QcuDBc0CQQDGNniN3fjsws7y6Jsq
    mewGJUExjZ3ti5ovmT28YJnU/krlgxXrgf2gEKhiuLwhNERYUNc+R8/5nYA5Je6H
    gkgzAj8iV3SVXPYbmSiB5N2eI0SXZaW0AvCfeQGTKGEc4+Yt+WeBWZ8aIPM3nW3P
    x/w6zCznn3EIIYZ5myT+JR7g4hUCQC+VYgmEsT59YdsUljN68htjlCwGOFSPf/tP
    SW/QrP1h8q74cimwcieb+CCDAr7h4kplVdbgvH/LHL4bahDj6NsCQQCUiq8kg7MF
    eiKllCCaeZfVP341MdBZwnxum/7yliXioVgKikggeicekTXROedgbgCWRI4BIQWL
    EbNtpA6Qg/dm
    -----END PRIVATE KEY-----

    """
  static let weakPublic = """
    -----BEGIN PUBLIC KEY-----
    MIGfMA0GCSqGSIb3DQEBAQUAA4GNADCBiQKBgQCuijBwLJHTjYINKHCd9oCJAfFL
    GIs/8d6bd31Z8jpflS3zmyXGNlSYhB2HduQ3FDhXBSjM+JjuZzSrynLEh9rB/f7T
    xohHJ7G4f9Ltmy6g4hkdXUBlH4J2iGGg8NORD4OHlUy4VARKKelcPwUDMrpg99Or
    nNu/pn9zdZOGcdXP1wIDAQAB
    -----END PUBLIC KEY-----

    """
  static let pssPublic = """
    -----BEGIN PUBLIC KEY-----
    MIIBIDALBgkqhkiG9w0BAQoDggEPADCCAQoCggEBAMQ4/rjyj2bu2eaHFAao4STh
    d6/JFMZmhmLPuNxL/0kAjScEf592iuNaEsVhIRzbdCB64vlGrcAcIpywXzXvoDSW
    3Eg6YLOGkedq2+3b29dTyXoSOt6AGUlHsGj9wVrtJYZrRBIIE0Yh6zcHJlt3uyY5
    ++PvABHnu0o5IQmya9eC9HOgo05mYXhVSnXj73KO9Sv+LzEm8N5SHHE2r6QfarC1
    5MDyQ/I4wD3zYBIQsjMTbC70+QUAvec8f6ktubo858VNocE4kHcZtO+qqpcdxgin
    Nlx8U6r32bGtjXlf6GVBFVTfiEBTfPbYQJMC+6cyTN3nTRHyaN5C/1/mR/afywMC
    AwEAAQ==
    -----END PUBLIC KEY-----

    """

  static let ed25519WithPublic = """
    -----BEGIN PRIVATE KEY-----
    MHICAQEwBQYDK2VwBCIEINTuctv5E1hK1bbY8fdp+K06/nwoy/HU++CXqI9EdVhC
    oB8wHQYKKoZIhvcNAQkJFDEPDA1DdXJkbGUgQ2hhaXJzgSEAGb9ECWmEzf6FQbrB
    Z9w7lshQhqowtrbLDFw4rXAxZuE=
    -----END PRIVATE KEY-----

    """

  static let ed25519WithPublicAlone = """
    -----BEGIN PRIVATE KEY-----
    MFECAQEwBQYDK2VwBCIEINTuctv5E1hK1bbY8fdp+K06/nwoy/HU++CXqI9EdVhC
    gSEAGb9ECWmEzf6FQbrBZ9w7lshQhqowtrbLDFw4rXAxZuE=
    -----END PRIVATE KEY-----

    """

  static let ecWithPublic = """
    -----BEGIN PRIVATE KEY-----
    MIHLAgEBMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg89+FortjZXrCLsjJ
    GNfywzzPfJA0wH0++QS2nPRDseahRANCAASy2Lnntmf9IcO7EjwPp8iJNvFve504
    rwzOtEhvQPDxkGN3ujCrBe1wXNoPiMzH3Qh+rVrkReDRqdFDxaRYZ5ZWgUIABLLY
    uee2Z/0hw7sSPA+nyIk28W97nTivDM60SG9A8PGQY3e6MKsF7XBc2g+IzMfdCH6t
    WuRF4NGp0UPFpFhnllY=
    -----END PRIVATE KEY-----

    """

  static let rsaWithPublic = """
    -----BEGIN PRIVATE KEY-----
    MIIF0QIBATANBgkqhkiG9w0BAQEFAASCBKgwggSkAgEAAoIBAQCj6oUSZ4pLz3vi
    FabTI0n5cC9kBKtVqw4Vqf0n3xjeOk3nTMTgxmCz3iDamWeWNLf8EG1ooiiluu49
    d5L2GKUDgMX36VrCwUhQNybKZ0T2BnerNYdfyLqZLpOgeOybzZkzAbxgtZTFQaRQ
    bEUeZA9NHlNylvQjh1LEdFxlzcKZCGa+UpYiy/8CdHaVWhlPqpAGKPyTrjQW5vfN
    BDo0BnT6JDaPMec9zKV1J9NTMZw/ISTs/cp7p7XlcgbGxfWyZSr/zetM8rlx2778
    zs7yn8ISWcnzgbx0R6B3c1ylTjP/7A0Q3Z2+avXaK4MKQBTgh9D6NAYU85umcZyl
    LJhYWFHJAgMBAAECggEAApMYjbxTWWM8B4YuSX7yhqDW17f0jnsKNLgnriiEihoJ
    lvZXWc333x9gLfrOnBb+JE8IPuZcI9VCsHO4OtYSgnJzeZRAXRJ+3aauHOwAEuqx
    Vr63nn8nQihvgGvh0IUrULgoYq77dBk2uN4ofESXUm9lYWWCVmwF1mja+izgD3oC
    Prshzdv0NqSe3Fe9mD0KI+r27ob8I9vDju82ig2jaRR59VsBgdAHNsw7fwhklzLb
    xyzXrIWPaymRwZhryA7gvn4mPsvnAZKhHVS0ZDwuAJUSMRuNlXBdV4y/rY3GmiG7
    OZf8dK/ma/8QurHDDaRjBY/wpSOjYk0HWWdDVOlvUQKBgQDNhPOYml9WzPzJqjGd
    ma3I2djYHgx9aBOg51NAWXEYNieji6I7aOdv8nHF4X8cT2g6uJ0niqtQDVF+iuSt
    T8J/BwKUL0HSi0YBxCnQFd5YLJA+nDgER0WLErTaOPG3/RYM2rHD0f21NvUkI6Om
    4HORXlcgAqNozKzGCB55wjSLkQKBgQDMLY67IjV9sGUdnhGWe1r4XPAXKAdTbjhM
    juQ+pRndCaY0nSuLLGVflVB7HVrttllEOUJdR0lyIV7hqSsVGOORbL5ZViuOtq1x
    YRozIl9Oich7OYIQNzeraKN4LsI5Ul3K6P4MTaPYTgmkkGDeL3hmis5EdmeR9dys
    +VroW9EWuQKBgQClHoJQQwcCSCN5KuI+CvCTBGOyD0JdpzbN+czrUHEK0Me8ID2x
    mbEIQjOilm93oVzOgPDSihjlci3di1362LAdOtaZk/ZAYGFYnfAyHL/M+9DQXNas
    qU54VAk1orah6hbDMRnNiHNcGtGNvYyIUKDJVJCPSU9crcTKPk+t55gr4QKBgQCy
    2J0Tsi1kwWRxAwqo47iVoOL1hayVGhDajrfDX989zLv3jkycBfFuPl5W2SnS201q
    AzXsewsMm8p+pC4Gttxvf+9kVaSlx8I5dDL843jUVMB1n7Qb/CIZVPkLxvl+OHXL
    zTbrE/8W85Riv8z6El7Gg4OWWJj0M4ZvRaSpr/OAkQKBgDq+9+c+ZAXY3xIKYSnr
    TRG6PXNLC8NZ9MyYfujp9Y8PBa02TaAWXSpUMCWvPkZYreqLD2FrVZKlZxC3jZXj
    IA2GGQiJzx6g9h4kHFvTy7+Mirf0DfGpSUbRSu7rwnxMJfBB3A/0iQ/I8DsFQ2EH
    WRebMenyJrqkRk19TBekoBzFgYIBDwAwggEKAoIBAQCj6oUSZ4pLz3viFabTI0n5
    cC9kBKtVqw4Vqf0n3xjeOk3nTMTgxmCz3iDamWeWNLf8EG1ooiiluu49d5L2GKUD
    gMX36VrCwUhQNybKZ0T2BnerNYdfyLqZLpOgeOybzZkzAbxgtZTFQaRQbEUeZA9N
    HlNylvQjh1LEdFxlzcKZCGa+UpYiy/8CdHaVWhlPqpAGKPyTrjQW5vfNBDo0BnT6
    JDaPMec9zKV1J9NTMZw/ISTs/cp7p7XlcgbGxfWyZSr/zetM8rlx2778zs7yn8IS
    Wcnzgbx0R6B3c1ylTjP/7A0Q3Z2+avXaK4MKQBTgh9D6NAYU85umcZylLJhYWFHJ
    AgMBAAE=
    -----END PRIVATE KEY-----

    """
}
