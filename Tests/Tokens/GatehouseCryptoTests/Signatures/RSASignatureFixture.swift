// Signatures of the bytes `a message` with the key `rsa` of `PEMFixture`, valid ones and forged ones. They were created
// once, beside that key's file, with OpenSSL's command (3.0):
//
//   printf 'a message' > m
//   openssl dgst -sha256 -sign rsa.pem -out pkcs1.sig m
//   pss() {
//     openssl dgst -sha256 -sign rsa.pem -sigopt rsa_padding_mode:pss -sigopt rsa_pss_saltlen:$1 "${@:3}" -out $2 m
//   }
//   pss 32 pss.sig; pss 0 pss0.sig; pss 20 pss20.sig; pss 64 pss64.sig; pss 222 pss222.sig
//   pss 32 pssMGF1.sig -sigopt rsa_mgf1_md:sha1
//   # block TYPE CONTENT FILE [AFTERWARDS]: what the key makes of a block of PKCS #1 with this content, in hexadecimal
//   block() {
//     printf "00$1%s00$2$4" "$(printf 'ff%.0s' $(seq $(((506 - ${#2} - ${#4}) / 2))))" | xxd -r -p |
//       openssl pkeyutl -decrypt -inkey rsa.pem -pkeyopt rsa_padding_mode:none -out $3
//   }
//   hash=$(openssl dgst -sha256 -r m | cut -c1-64)
//   good=3031300d060960864801650304020105000420$hash
//   block 01 302f300b06096086480165030402010420$hash noNull.sig
//   block 01 ${good}00 trailing.sig
//   block 01 308131300d060960864801650304020105000420$hash longForm.sig
//   block 01 $hash bare.sig
//   block 01 3021300906052b0e03021a05000414$(openssl dgst -sha1 -r m | cut -c1-40) sha1.sig
//   block 01 $good garbage.sig $(printf '00%.0s' $(seq 20))
//   block 02 $good type2.sig

/// The signatures, named after their files.
enum RSASignatureFixture {
  static let pkcs1 = """
    Aid3jvtivXH+sfcKafIYBSyH+nGeIXh64Pi2eQQAMmaRX4ULMCa0ssC9KFuFA+RoorWn+k9TyU+mAIMU5A5JArlTxW3Y9Dhi8OhvDDagFDZ8JN/O\
    sqLBtYqwGZnUi8xe5+6Dgs9KIeOKmjolBDIztPO9LDdIEdD5bvLwCjD+l14eN2nonIR/tf8tqiX/IsoMlS7LNKJOxPKuOBHBY7GDWCOgdb0i7rsh\
    bdNoWu0L26UuTe9x91HBHjty3pMKNWFG3mkJv+NCD+dyZBOVuKRFxm9PIYLoKvbAhVUeDQfmtoDuewFfutks3gWQX/7TlGj/ocaOd81CLxKdJL/2\
    xQAY0w==
    """
  static let pss = """
    Pbe+jFCL1Nx3oiyBcuZQD0biVsNzqE/y4amt64edJ7EHASAiOfZc+FTVwe7WrC85IIddQosw9hqVBi7xfh6xOqDR+Gw6ayXIj8UtQZMb0aYgtstX\
    4RFAT5jS4fNnqhz0WqMhcJMrBHFTWg5oGa90gLlxPGWVwC7T3JUZpqRnznSAHtf8cUwVrD/ldS+9hI4t/9iVmT5M8C9GGq5RLKOIS3YoaEBImESn\
    Mtfrt60Po9RgSupWKS8qHU5vsoBm+FTIip6SGhdP0j8xV2t58/CPfGldceu2CMP4sCSVGOPkz8rqcB86EklMcSiNLkX2kwmafLCgUPzTm6UtbB1r\
    PCKFpw==
    """
  static let pss0 = """
    f4IzcG5TUOQzA9dg2OierJLqyQ7qJ5Tu/ZTAQVUdJ8bE/43eT+CNkIeyEJ6XrJ3njAqfEDLgWOdjjx9WCdna6cP7Sso1otaw1NDJLH/jMj8XYMuC\
    0ubTAeld7TpjhryqzztDuOxvuE90TobgNl+f163Xo77IEDf13qpK6oOVJ57gWS2XmZB60ZUDH9wcs1VjuAb8Bk4ceWJ09PeEkMm75XTfBVQv9RHf\
    VITl/MkVjNQ2i40dUhUyrJbKsDKY7N0RvXNZeGckdOWDqA1y4XzEAL/OQ5A6n+7dXxkGFducu2DcxU3LOKoOsYfnqYBXZI5B4M1g0/iCet+jj7Ce\
    R4/NJA==
    """
  static let pss20 = """
    DWTJEzm4HTKiUhu3EcuK4Usbav4aHUDIE5AdgTVSLCInJLKl90/w8Ukpu+1AUXE1Om81L0bA3ZhxxDZ+wZC2Qjjy7lx6YmLV2H8p/DtBDE1r8iQi\
    LzeXA+8Zr4i3dIXXV2o9FH657weqQT/T0kdEi9jTWna+tutt3Q4WnzvwLZ1A3OzEZw8ojf+jQJzVwuGiwqyIC672MqZyTUCxXaTnYN0jt8j42Hdm\
    xYnOs9Gjnw5skcUnOcZLvo85+acUF4E4C+SpqRO6VqzLHTjt76L23SIxA8M8Vv+Nnh5Zjz4AbVFX0/ku5AvRYDmsksyRdvXAZRbwTOdzOy3tvim/\
    XgEWMw==
    """
  static let pss64 = """
    P0alQDjvlphcKn1mzh8nSMwuUJG4xpXHaNtBskUY2oomtxSBUKY70ve/NyhXj2seCdV/nlO1YRzdgnJi6Lnk5VHjr7CsNuZhJ75oalGbhuRGoZ4g\
    Ws2xPkv7NVj41LCZ76vpQ/j7CXw4PNIFDDcMe4T2Y3Ye/29eXIqWrtgLTzsWU7XETw0CFyiswqONDjocnhtFlhVUYbCRSgnM15hJmvRcUCiqMtmz\
    gDUMlLDT8LbU9oGMEDXUXKSuJa2PWaw4QVW9700AVfnHm3TK+ZTzbEvg5hYsC5VP5/DrVipbuzepfc2ST++H1qSsM/Hg+lBgT6wSs64zzka4IjEH\
    V1tQlQ==
    """
  static let pss222 = """
    NL0mM+mYCf9B5dNgndNWmiJs6lDZdOS/K783sHIln6HIpvnMOjDk5vldKD13JyzipWVGqoJ3KU7RHZ7CZiCnc1F5LDo4Vj4Ll08bqw+wZIinzf8w\
    Pdq9Xcie5MdMYkK1gs1WgSOdIL4C/rKAqzHhnta0/TIphfc0hVvxMecYqltkE/4O4/u5sGkDIJEBGtB4ncEGebj5DmaLVdN33ki5NGMKFXVKw2/U\
    qnbBmTGdxa0NMYHgF3khB3VUBoKHCNzG5szz0GukEMr8W+ItQoW9GuLj9Zd+L411bl3Jj3udHSJoMdwrzaYAFa6Vnx4zWGKJsbQb1Aa7PvpxhCok\
    BswEEA==
    """
  static let pssMGF1 = """
    FiKoch7P+tCp3FabXFwZPYcSaUblBiEOI8KVke6BkD7x14LFY0mXz5CnHfh/WI4DpBS84zJK2nXQjbkjACQeQ9a0jyPKeu9sVhZ9JSNdohnQabLn\
    0OsbaGLHvLjjcf4j47coq1pTWQ5q8xjkoeIQYk2TbaUPz65HnAWotTsT0t8ZXV6qCJN/KyzfHCr8dDkpZbs3QjKbyNatXog/mo6n67+dH/hBJYB8\
    w/y6I2CFYF0nr5B+OgtuSdTaOdSOD93XY1Y9ITssBQB1zVFFFij47Cb5Dhh3Jti6QQ9uEV4hQHfH5pjG8EEYS2JHjHtOaliRJqpcf9AhqY65n3Yn\
    l+NAog==
    """
  static let noNull = """
    gM/t9vr3rJLOXMpAmLw84UpLj6gI76b+1HxdLFJgrcJZubjcCt8+ebQSydYgQqtsX1l2DsV+5Mho2SKl3UBpQir+p63C6IKTg3cPzsn68lh5wSUA\
    INDkXSj2cpldLZmeNO/FLckUnD67jo/17z6oKU6w7LY4cWqp/1GKwXWBuLHv+3qmtPA5AeD+YdE7VzO6o6GwSQIt6IiNOGKZ7DN1g33wCBouiBKR\
    r16ZWLqNMrs+9g0V6NByHbvRRELVSbKLhBcQsvEl+bdtUe/Hi4vIFtUu3pviss+YPWCEBfc3lvKbuuCQHksBWalDt31fnzT8gIpr6CVkuXVoJ6i+\
    TYo1Ug==
    """
  static let trailing = """
    VAGoN1pujQyL9XbSL3issRjKaz/YvphDC5fKPZfQg5fy9OAN5uPJcMDBYL+ojnagAUHkEhjyLT1ThL8/ZFGLyMGsBCo8g2nmB5gRlxRb7wqLHzkn\
    05opyAMaLndDTsIiaSSonZCwCdanEclLUdaMbNXISafwxXlf+ZzA3MafyjQimDk+4DjZGBORhS2Kfejf5eOlbgrF0WR1HRMix24eyZRfMhsqnsZ4\
    p1DSpgSJ1vrMpwU68SXs42knjtzlHFuuGZyu5x50Y8t9l1pYUp15GV0F4EfCPqQii43AAlCDECw2yEHBQsU+20JlnMbwiSccTjBOjqKPNKcu4Ea1\
    l4DS4w==
    """
  static let longForm = """
    UK6FyqnAyR1DOllh7QD15YKy9NrOz8wGu7ePYUMdnwPZqln+pJBvbm29l5mVoQb/2woIM9bmMswfFDPbNoAOfvAQglrHVd57SF283nQwzBO605ap\
    PhUmHbmoLq6Jgk611MHi2VYqv5O4C9JVCTB3v1M/y+EU+zJ112Yu+QMSsoh4PL78JCsONRmN8i/p3JaZBmVEyAqXdQgRfu1lN/UVAMN10QhwL3nN\
    gx4gR+0YYEQUIzT9BQH87o69GrpGqT/HFHxeOKogHxhu/IeygfaAktXGfBOwSIMCEm88qeP+2JlzjpQZdRevwXDpTxOVcodKvxZDMGzwSHeALBTG\
    U6X7nA==
    """
  static let bare = """
    DzGtI+2eWtLWxmnHmls7oMQnlgAinc4YogbilgSeKMyVCdUB4dd1Oaar1TbBHFBnnDW8w9j6F3YDtIaqFEAY+2OU2kSpq4cNa6vY7Q2z9jv80Lcg\
    kDBi1q9P2HwdpJQZdB0liwgPSCDP9HT7XtuPKvQN4gigekfo21T2hcAQWgaLhHiWSG8cpmPEMkZccX6R1zg6Gk7GMp7OKfJBasCU1gplcn5U45wn\
    XG9X2hEoHpP3V/xFI8IQgtSERMTPeAboE4W1VZO7s24+73QVvNGdHEraPxvhJY9rj1Ry6zybhTi5XaZAp2Keoh86I8HFydG9ZfZODcJFJOKuu+6Z\
    mm3J4Q==
    """
  static let sha1 = """
    NmSNBnQa77N5dZsz73YI99uQF61H30lL8CA0N9OKtCd2C2NJ/vvHdXgx7mhYvFvwma/nXJsFJFdeM5H1964fCfov3vSUZF2Oq3br0WJx6FGSU4i2\
    wbTi9/AhKCk9zbSAC9sPbXBb8gEYh9x5QqyusXaSn8PNvapkjmPXFQwIDshdFfu2WuD43+2kSCcwfUno/w0tyWfgu0Xy1HMgPVbahc97L60AHioA\
    0uA+4/efahaFjWzAWiDqBH8v1V2BgyM56LDr5EyB/vJK432nqxPgstwAYUBaasSSSOd9AZXHOR1H/WsbEbr7NUrsQi2GqjnXmtoyEJ6eIAaOWIav\
    bstlDA==
    """
  static let garbage = """
    CODtECrAf9KKDOwii5NHGIg4h1hpMIevJYVQbVsA1YYRkIxSee8RRoOahavHTzkSSmN2QWnruXU8obFuDK7tbCmF8yLMsQE55llNv54ClLpQ62IY\
    2IH64AOUn4Qfh8ovIZ/5kxtMKce5ypdKpKTTxEesyWD5BfM4Wy0qwiE4gdJr5lIdGC+noggyul3+je9UKvzQp/4yJp0MphSIy7qLaaw3LlAOdX9q\
    Yb+XYNfao7NRYGu2649r6DiXMYZmlYCyP6Y6VUpV/OEyvuNYePcO21zcWlM0fnzxxC4nBoqsIhPf3dG4lg9ePrcWJ1D6gK+AhU5bHrTK+ZDHg1j4\
    HKaKog==
    """
  static let type2 = """
    PDjCstF4pvfY6NQa8304WTB630s6awDMA37WVlMxWN/RcKF3COcV0C6irpRi9/gFYMHcfAbgb7SbSiwgdz+xsjHQIGjjx3v0eFeQsD9NAgoJ19J9\
    c9sX16BHolucpQUXNL2yKv8zLyNAosbNFM2qlUEisvwSKoMqwCEEWi9S1uq+MLNPUksX/z3GYz1+VOeRNmKPiDEer7IKNFEz77DGfr/Y2Bn7qNZP\
    r0xL4ni7Vy6Uju0CHtoqY59/Afy3r/S+uWGPC+wpMueONiudf67nwhvP5nkirK2vBP7AdNE7LKCxyAk3JbdOuKpLtvC9pywYo5NYG4Skgoqogfox\
    BO8twA==
    """
}
