extension JSONObject {
    /// An object of many members at once, in time linear in their number; setting them one by one looks each of them up
    /// among all that stand there already.
    ///
    /// - Parameter members: in their order; of several with the same name the first counts.
    public init(keepingFirst members: [Member]) {
        var seen = Set<ExactName>(minimumCapacity: members.count)
        self.init(unique: members.filter { seen.insert(ExactName(text: $0.key)).inserted })
    }
}

extension JSON {
    /// An object of members in their order; of several with the same name the first counts.
    public init(_ members: [JSONObject.Member]) { self = .object(JSONObject(keepingFirst: members)) }
}
