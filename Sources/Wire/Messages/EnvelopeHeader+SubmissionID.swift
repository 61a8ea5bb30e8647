extension EnvelopeHeader {
    /// The id under which the study lists this envelope in its deliveries: the `sid` of a JWE. A C3-PRO envelope has no
    /// id of its own; its id is a UUID of RFC 9562 section 5.8 (version 8) made from the first 16 bytes of the digest.
    public var listedSubmissionID: String {
        if let submissionID { return submissionID }
        var digits = Array(digest.utf8.prefix(32))
        guard digits.count == 32 else { return digest }
        digits[12] = UInt8(ascii: "8")
        let variants = Array("89ab".utf8)
        digits[16] = variants[Int(digits[16]) % variants.count]
        var text: [UInt8] = []
        for (index, digit) in digits.enumerated() {
            if [8, 12, 16, 20].contains(index) { text.append(UInt8(ascii: "-")) }
            text.append(digit)
        }
        return String(decoding: text, as: UTF8.self)
    }
}
