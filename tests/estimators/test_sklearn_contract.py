"""The estimators keep scikit-learn's contract, in full."""

from sklearn.utils.estimator_checks import parametrize_with_checks

from redunet import (
    NearestSubspaceClassifier,
    PeakLift,
    PooledLift,
    RateReductionClustering,
    ReduNet,
    ReduNetClassifier,
)


@parametrize_with_checks(
    [
        *(ReduNet(), ReduNetClassifier(), NearestSubspaceClassifier(), PooledLift(2, 1)),
        *(RateReductionClustering(), RateReductionClustering(2), RateReductionClustering(2, kernel="rbf", n_layers=1)),
        *(ReduNetClassifier(unlabelled=-99), ReduNetClassifier(unlabelled="?")),
        PeakLift(6, random_state=0),
        *(ReduNet(construction="moments"), ReduNetClassifier(construction="moments")),
        # (Class subspaces of a kernel are not among them: a weight of 1000 is repetition, which such classes memorise.)
        *(ReduNet(kernel="rbf"), ReduNetClassifier(kernel="rbf", membership="regression")),
    ]
)
def test_scikit_learn_check(estimator, check):
    check(estimator)
