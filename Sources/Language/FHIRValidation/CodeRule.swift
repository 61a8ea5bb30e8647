import UCUM

/// Code systems whose codes follow a rule instead of a list.
enum CodeRule {
    /// Whether the system has the code.
    static func allows(_ code: String, system: String) -> Bool {
        switch system {
        case "urn:ietf:bcp:47": isLanguage(code)
        case "urn:ietf:bcp:13": isMediaType(code)
        case "urn:iso:std:iso:4217": currencies.contains(code)
        case "http://unitsofmeasure.org": UCUMUnit.isValid(code)
        default: false
        }
    }

    /// Whether the code has the form of a language tag of RFC 5646 section 2.1: subtags of letters and digits, the
    /// first of letters.
    static func isLanguage(_ code: String) -> Bool {
        let subtags = code.split(separator: "-", omittingEmptySubsequences: false)
        guard let first = subtags.first else { return false }
        let isLetters = first.utf8.allSatisfy { (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0) }
        guard isLetters,
            (2...8).contains(first.utf8.count) || (["x", "X", "i", "I"].contains(first) && subtags.count > 1)
        else { return false }
        return subtags.dropFirst().allSatisfy { subtag in
            (1...8).contains(subtag.utf8.count)
                && subtag.utf8.allSatisfy {
                    (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0)
                }
        }
    }

    /// Whether the code is `type/subtype` with the characters of RFC 6838 section 4.2, optionally with parameters, or a
    /// short name of one of FHIR's own formats (<https://hl7.org/fhir/R4/http.html#mime-type>).
    static func isMediaType(_ code: String) -> Bool {
        if code == "json" || code == "xml" || code == "ttl" { return true }
        let type = code.prefix { $0 != ";" }
        let parts = type.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2 else { return false }
        return parts.allSatisfy { part in
            let name = part.drop { $0 == " " }.prefix { $0 != " " }
            return !name.isEmpty
                && name.utf8.allSatisfy {
                    (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0)
                        || "!#$&-^_.+*".utf8.contains($0)
                }
        }
    }

    /// The currency codes of ISO 4217.
    static let currencies: Set<String> = Set(
        """
        AED AFN ALL AMD ANG AOA ARS AUD AWG AZN BAM BBD BDT BGN BHD BIF BMD BND BOB BOV BRL BSD BTN BWP BYN BZD CAD CDF
        CHE CHF CHW CLF CLP CNY COP COU CRC CUC CUP CVE CZK DJF DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GGP GHS GIP
        GMD GNF GTQ GYD HKD HNL HRK HTG HUF IDR ILS IMP INR IQD IRR ISK JEP JMD JOD JPY KES KGS KHR KMF KPW KRW KWD KYD
        KZT LAK LBP LKR LRD LSL LYD MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MXV MYR MZN NAD NGN NIO NOK NPR NZD
        OMR PAB PEN PGK PHP PKR PLN PYG QAR RON RSD RUB RWF SAR SBD SCR SDG SEK SGD SHP SLE SLL SOS SPL SRD SSP STN SVC
        SYP SZL THB TJS TMT TND TOP TRY TTD TVD TWD TZS UAH UGX USD USN UYI UYU UZS VED VEF VES VND VUV WST XAF XAG XAU
        XBA XBB XBC XBD XCD XDR XOF XPD XPF XPT XSU XTS XUA XXX YER ZAR ZMW ZWL
        """.split { $0 == " " || $0 == "\n" }.map(String.init))
}
