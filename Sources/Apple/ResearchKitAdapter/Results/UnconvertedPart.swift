#if canImport(ResearchKit)
    import FHIR

    /// A part of a result that JSON, or an object of ResearchKit, does not contain after a conversion.
    public struct UnconvertedPart: Sendable, Hashable, CustomStringConvertible {
        /// The location, such as `$.results[0].results[2]` for a result and `$.results[0].userInfo` for a member.
        public let location: String
        /// The name of the result's class.
        public let className: String
        /// The name of the member; nil if the class is not supported, so that only its common members are converted.
        public let member: String?

        public var description: String { "\(location): \(className)" }
    }

    extension Sequence<UnconvertedPart> {
        /// The names of the classes that are not supported, each once and sorted.
        public var classNames: [String] { Set(filter { $0.member == nil }.map(\.className)).sorted() }
    }

    /// The way to a result in a tree of results: the index in each level.
    struct ResultPath {
        private(set) var indices: [Int] = []

        var depth: Int { indices.count }

        mutating func enter(_ index: Int) { indices.append(index) }
        mutating func leave() { indices.removeLast() }

        /// The path as text, with a member's name if there is one.
        func text(_ member: String? = nil) -> String {
            indices.reduce("$") { "\($0).results[\($1)]" } + (member.map { ".\($0)" } ?? "")
        }
    }
#endif
