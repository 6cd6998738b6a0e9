"""Kernels: networks with an RBF kernel beside a support vector machine whose constants a grid search chooses.

    REDUNET_DATA=… python benchmarks/kernels.py tables [--sets iris wine …] [--repeats 5] [--times]
    REDUNET_DATA=… python benchmarks/kernels.py mnist

"tables": five folds, five times; columns are standardised by the training folds. The support vector machine is that of
scikit-learn, with 5 values of C and 4 of γ, chosen by five folds of the training samples. The network has nothing given
but its kernel. Measurements of the mice are split as if they were independent of each other. ``--times`` adds the ratio
of the processor times of both fits.

"mnist": all 60,000 training images as rows of 784 numbers, 500 landmarks, the 10,000 test images.
"""

import argparse
import time

import numpy as np
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from redunet import ReduNetClassifier
from redunet.data.images import mnist
from redunet.data.tabular import fill_missing, mice

LOADERS = {"iris": load_iris, "wine": load_wine, "breast cancer": load_breast_cancer, "digits": load_digits}
SETS = (*LOADERS, "mice")
C_VALUES, GAMMA_SHARES = (0.1, 1.0, 10.0, 100.0, 1000.0), (0.1, 0.3, 1.0, 3.0)  # γ in units of 1 / n_features


def table_of(name):
    """Samples and labels of a table."""
    if name != "mice":
        return LOADERS[name](return_X_y=True)
    X, y, _ = mice()
    return fill_missing(X)[0], y


def support_vectors(n_features):
    """The support vector machine with its grid."""
    grid = {"svc__C": C_VALUES, "svc__gamma": [share / n_features for share in GAMMA_SHARES]}
    return GridSearchCV(make_pipeline(StandardScaler(), SVC()), grid, cv=5)


def compare(name, n_repeats):
    """Accuracies of both in each fold, shape (n_folds, 2), and their processor times."""
    X, y = table_of(name)
    accuracies, seconds = [], np.zeros(2)
    for repeat in range(n_repeats):
        for train, test in StratifiedKFold(5, shuffle=True, random_state=repeat).split(X, y):
            found = []
            models = (ReduNetClassifier(kernel="rbf", standardise=True), support_vectors(X.shape[1]))
            for i, model in enumerate(models):
                start = time.process_time()
                model.fit(X[train], y[train])
                seconds[i] += time.process_time() - start
                found.append(model.score(X[test], y[test]))
            accuracies.append(found)
    return np.array(accuracies), seconds


def tables(options):
    """Accuracies as a table in Markdown."""
    print("| set | RBF network | RBF-SVM, grid search |", "ratio of times |" if options.times else "")
    print("|---|---|---|" + ("---|" if options.times else ""))
    for name in options.sets:
        accuracies, seconds = compare(name, options.repeats)
        ours, theirs = accuracies.mean(axis=0)
        ratio = f" {seconds[0] / seconds[1]:.2f} |" if options.times else ""
        print(f"| {name} | {ours:.4f} | {theirs:.4f} |{ratio}", flush=True)


def landmarks():
    """The accuracy on the test images of MNIST."""
    (X, y), (X_test, y_test) = (mnist(part) for part in ("train", "test"))
    rows, test_rows = (images.reshape(len(images), -1).astype(np.float32) for images in (X, X_test))
    model = ReduNetClassifier(kernel="rbf", n_landmarks=500).fit(rows, y)
    print(f"{model.network_.kernel}: {model.score(test_rows, y_test):.4f}, expected {model.loo_score_:.4f}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("tables", "mnist"))
    parser.add_argument("--sets", nargs="+", choices=SETS, default=SETS)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--times", action="store_true")
    given = parser.parse_args()
    tables(given) if given.what == "tables" else landmarks()
