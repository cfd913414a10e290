/// The regions of phone numbers, by the prefixes that the numbering plans assign (ITU-T E.164; for +1 the North
/// American Numbering Plan, as of November 2026).
///
/// A region here is a code of two letters, as in `smsRegionConfig`. A prefix that several regions use is that of all of
/// them. A prefix that no plan has assigned to a region, such as that of a satellite phone, is of none.
enum PhoneRegions {
  /// Returns the regions that a number can be of; empty if that is unknown.
  static func regions(of number: String) -> Set<String> {
    let digits = number.utf8.drop { $0 == UInt8(ascii: "+") }
    for length in (1...maximumPrefixLength).reversed() where digits.count >= length {
      if let regions = byPrefix[String(decoding: digits.prefix(length), as: UTF8.self)] { return regions }
    }
    return []
  }

  /// Every region that has numbers, or uses those of its country.
  static let all = Set(byPrefix.values.joined()).union(dependencies.keys)

  /// Regions with no numbers of their own for all phones, and the regions whose numbers their phones have besides.
  static let dependencies = [
    "AX": "FI", "BV": "NO", "CC": "AU", "CX": "AU", "EH": "MA", "HM": "AU", "PN": "NZ", "SJ": "NO", "TF": "RE",
    "UM": "US",
    "VA": "IT",
  ]

  private static let byPrefix: [String: Set<String>] = {
    var byPrefix: [String: Set<String>] = [:]
    for entry in "\(callingCodes) \(sharedCodes) \(islands)".split(whereSeparator: \.isWhitespace) {
      let parts = entry.split(separator: ":")
      for prefix in parts[1].split(separator: ",") { byPrefix[String(prefix), default: []].insert(String(parts[0])) }
    }
    for (region, codes) in [("US", unitedStates), ("CA", canada)] {
      for code in codes.split(whereSeparator: \.isWhitespace) { byPrefix["1\(code)"] = [region] }
    }
    // An area code that is not known to be of one region can be of each.
    byPrefix["1"] = Set(byPrefix.filter { $0.key.utf8.first == UInt8(ascii: "1") }.values.joined())
    return byPrefix
  }()

  private static let maximumPrefixLength = 7

  /// Regions with a calling code of their own.
  private static let callingCodes = """
    AC:247 AD:376 AE:971 AF:93 AL:355 AM:374 AO:244 AR:54 AT:43 AW:297 AZ:994 BA:387 BD:880 BE:32 BF:226 BG:359
    BH:973 BI:257 BJ:229 BN:673 BO:591 BR:55 BT:975 BW:267 BY:375 BZ:501 CD:243 CF:236 CG:242 CH:41 CI:225 CK:682
    CL:56 CM:237 CN:86 CO:57 CR:506 CU:53 CV:238 CY:357 CZ:420 DE:49 DJ:253 DK:45 DZ:213 EC:593 EE:372 EG:20 ER:291
    ES:34 ET:251 FJ:679 FM:691 FO:298 FR:33 GA:241 GE:995 GF:594 GH:233 GI:350 GL:299 GM:220 GN:224 GQ:240 GR:30
    GT:502 GW:245 GY:592 HK:852 HN:504 HR:385 HT:509 HU:36 ID:62 IE:353 IL:972 IN:91 IO:246 IQ:964 IR:98 IS:354
    JO:962 JP:81 KE:254 KG:996 KH:855 KI:686 KM:269 KP:850 KR:82 KW:965 LA:856 LB:961 LI:423 LK:94 LR:231 LS:266
    LT:370 LU:352 LV:371 LY:218 MC:377 MD:373 ME:382 MG:261 MH:692 MK:389 ML:223 MM:95 MN:976 MO:853 MQ:596 MR:222
    MT:356 MU:230 MV:960 MW:265 MX:52 MY:60 MZ:258 NA:264 NC:687 NE:227 NG:234 NI:505 NL:31 NP:977 NR:674 NU:683
    NZ:64 OM:968 PA:507 PE:51 PF:689 PG:675 PH:63 PK:92 PL:48 PM:508 PS:970 PT:351 PW:680 PY:595 QA:974 RO:40 RS:381
    RW:250 SA:966 SB:677 SC:248 SD:249 SE:46 SG:65 SI:386 SK:421 SL:232 SM:378 SN:221 SO:252 SR:597 SS:211 ST:239
    SV:503 SY:963 SZ:268 TD:235 TG:228 TH:66 TJ:992 TK:690 TL:670 TM:993 TN:216 TO:676 TR:90 TV:688 TW:886 TZ:255
    UA:380 UG:256 UY:598 UZ:998 VE:58 VN:84 VU:678 WF:681 WS:685 XK:383 YE:967 ZA:27 ZM:260 ZW:263
    """

  /// Regions that share a calling code, and their prefixes. A prefix that is here twice is of several regions.
  private static let sharedCodes = """
    AQ:672,6721 AU:61 AX:35818 BL:590 BQ:599,5993,5994,5997 CC:6189162 CW:599,5996,5999 CX:6189164
    EH:2125288,2125289 FI:358 FK:500 GB:44,447624,447700,447911 GG:441481,447781,447839,447911 GP:590 GS:500
    IM:441624,4474576,447524,447624,447924 IT:39 JE:441534,447509,447700,447797,447829,447937 KZ:7,733622,76,77
    MA:212 MF:590 NF:672,6723 NO:47 RE:262,262262,262263,262692,262693 RU:7,73,733622,74,78,79 SH:290,2902,2905,2906
    SJ:4779 TA:290,2908 VA:3906698 YT:262,262268,262269,262639
    """

  /// The regions of +1 with a few area codes, with the 1 before them.
  private static let islands = """
    AG:1268 AI:1264 AS:1684 BB:1246 BM:1441 BS:1242 DM:1767 DO:1809,1829,1849 GD:1473 GU:1671 JM:1658,1876 KN:1869
    KY:1345 LC:1758 MP:1670 MS:1664 PR:1787,1939 SX:1721 TC:1649 TT:1868 VC:1784 VG:1284 VI:1340
    """

  private static let canada = """
    204 226 236 249 250 257 263 289 306 343 354 365 367 368 382 403 416 418 428 431 437 438 450 468 474 506 514 519
    548 579 581 584 587 604 613 639 647 672 683 705 709 742 753 778 780 782 807 819 825 867 873 879 902 905 942
    """

  private static let unitedStates = """
    201 202 203 205 206 207 208 209 210 212 213 214 215 216 217 218 219 220 223 224 225 227 228 229 231 234 235 239
    240 248 251 252 253 254 256 260 262 267 269 270 272 274 276 279 281 283 301 302 303 304 305 307 308 309 310 312
    313 314 315 316 317 318 319 320 321 323 324 325 326 327 329 330 331 332 334 336 337 339 341 346 347 350 351 352
    353 360 361 363 364 369 380 385 386 401 402 404 405 406 407 408 409 410 412 413 414 415 417 419 423 424 425 430
    432 434 435 440 442 443 445 447 448 458 463 464 469 470 472 475 478 479 480 484 501 502 503 504 505 507 508 509
    510 512 513 515 516 517 518 520 530 531 534 539 540 541 551 557 559 561 562 563 564 567 570 571 572 573 574 575
    580 582 585 586 601 602 603 605 606 607 608 609 610 612 614 615 616 617 618 619 620 623 626 628 629 630 631 636
    640 641 645 646 650 651 656 657 659 660 661 662 667 669 678 680 681 682 686 689 701 702 703 704 706 707 708 712
    713 714 715 716 717 718 719 720 724 725 726 727 728 730 731 732 734 737 738 740 743 747 748 754 757 760 762 763
    765 769 770 771 772 773 774 775 779 781 785 786 801 802 803 804 805 806 808 810 812 813 814 815 816 817 818 820
    821 826 828 830 831 832 835 838 839 840 843 845 847 848 850 854 856 857 858 859 860 862 863 864 865 870 872 878
    901 903 904 906 907 908 909 910 912 913 914 915 916 917 918 919 920 925 928 929 930 931 934 936 937 938 940 941
    943 945 947 948 949 951 952 954 956 959 970 971 972 973 975 978 979 980 983 984 985 986 989
    """
}
