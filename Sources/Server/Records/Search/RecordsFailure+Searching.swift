extension RecordsFailure {
    static let notInCompartment = RecordsFailure(
        status: .notFound, issue: .notFound, code: "compartment-unknown",
        message: "There is no such compartment, or no resources of this type belong to it.")
}
