extension JSONObject {
    /// An object of many members at once, in time linear in their number; setting them one by one looks each of them up
    /// among all that stand there already.
    ///
    /// - Parameter members: in their order; of several with the same name the first counts.
    public init(keepingFirst members: [Member]) {
        var seen = Set<ExactName>(minimumCapacity: members.count)
        self.init(unique: members.filter { seen.insert(ExactName(text: $0.key)).inserted })
    }

    /// An object of many members at once; of several with the same name the last counts, in the place of the first.
    package init(keepingLast members: [Member]) {
        var places = [ExactName: Int](minimumCapacity: members.count)
        var kept: [Member] = []
        kept.reserveCapacity(members.count)
        for member in members {
            let name = ExactName(text: member.key)
            if let place = places[name] {
                kept[place].value = member.value
            } else {
                places[name] = kept.count
                kept.append(member)
            }
        }
        self.init(unique: kept)
    }
}

extension JSON {
    /// An object of members in their order; of several with the same name the first counts.
    public init(_ members: [JSONObject.Member]) { self = .object(JSONObject(keepingFirst: members)) }
}
