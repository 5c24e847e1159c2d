#!/bin/bash
# Ray on the nodes of a Slurm job, and `spec-o3 vet` on it: sbatch slurm.sh /shared/night.speco3
# Run it again to go on where the time ran out. More options for vet follow the session:
#   sbatch slurm.sh /shared/night.speco3 --model spec-o3-7b --gpus-each 1
#SBATCH --job-name=spec-o3
#SBATCH --nodes=4
#SBATCH --ntasks-per-node=1
#SBATCH --cpus-per-task=16
#SBATCH --gpus-per-node=4
#SBATCH --exclusive
#SBATCH --time=12:00:00

set -euo pipefail
session=$1
shift

# Where `pip install "spec-o3-workbench[cluster,gpu]"` was done, on a file system that all nodes see.
source "${SPEC_O3_ENVIRONMENT:-$HOME/spec-o3}/bin/activate"

# Without a token anybody in the network could run code. It lies in the home that all nodes share.
export RAY_AUTH_MODE=token
ray get-auth-token --generate > /dev/null

head=$(scontrol show hostnames "$SLURM_JOB_NODELIST" | head -n 1)
port=$((20000 + SLURM_JOB_ID % 20000)) # of this job alone, where jobs share nodes
export RAY_SYMMETRIC_RUN_CLUSTER_WAIT_TIMEOUT=300

# Ray starts on every node; the command runs on the first.
srun ray symmetric-run --address "$head:$port" --min-nodes "$SLURM_JOB_NUM_NODES" -- \
    spec-o3 vet "$session" --ray "$head:$port" "$@"
