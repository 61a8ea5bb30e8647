import StudyFiles

extension StudyServer {
    /// Logs at the start that the private keys have a problem. The server accepts submissions nevertheless, and opens
    /// them when the keys are restored.
    func reportKeys() {
        guard options.roles.contains(.consumer), let problem = StudyCheck(folder).keyProblem() else { return }
        logger.error("\(problem.message)", metadata: ["code": "\(problem.code)"])
    }
}
