extension BuiltInTerminology {
    /// The codes of one code system.
    public struct Codes: Sendable, Hashable {
        /// The code system's canonical URL.
        public let system: String
        /// The codes, in the order of their bytes.
        public let codes: [String]
    }

    /// Returns the codes of a value set, by their systems; nil if the value set is unknown or some of its codes follow
    /// a rule (languages, media types, currencies, UCUM).
    ///
    /// - Parameter url: the canonical URL; a version after `|` is ignored.
    public func codes(of url: String) -> [Codes]? {
        guard let number = number(url), isKnown(number), !entries[number].systems.contains(where: \.isRule) else {
            return nil
        }
        return entries[number].systems.map { Codes(system: $0.url, codes: $0.codes.sorted()) }
    }
}
