#!/bin/sh
#SBATCH --job-name=fcgen
#SBATCH --array=0-7
#SBATCH --cpus-per-task=2
#SBATCH --mem=1G
#SBATCH --time=08:00:00
#SBATCH --requeue
#SBATCH --open-mode=append
#SBATCH --signal=B:TERM@60
# A Slurm array in which every task makes one shard of a pipeline.
#
#     job=$(sbatch --parsable recipes/slurm.sh hammer --set scale=47)
#     sbatch --dependency=afterok:$job --wrap "fcgen merge output/hammer-en-shard-*-of-8 --set scale=47"
#
# SHARDS says how many there are, and stays the same when a few of them are asked for again (`sbatch --array=3,5`). A shard
# that was stopped (time limit, preemption, a server that went away) is put into the queue again, at most three times by
# itself; it goes on where it was, and no reply is paid for twice.
set -u

shards=${SHARDS:-8}
pipeline=${1:?give a pipeline file, or the name of a shipped one}
shift

# Whether enough was accepted is asked of the whole, at the merge.
fcgen pipeline "$pipeline" --shard "$((SLURM_ARRAY_TASK_ID + 1))/$shards" "$@" &
child=$!
# Slurm tells this shell, which passes it on; the signal ends the waiting, not the shard.
stopped=
trap 'stopped=yes; kill -TERM "$child"' TERM INT
wait "$child"
status=$?
while [ -n "$stopped" ] && [ "$status" -gt 128 ]; do
    stopped=
    wait "$child"
    status=$?
done

# 12: the endpoint, or rows were lost on the way to it; 130: stopped. Nothing else is mended by another try.
case $status in
    12 | 130)
        if [ "${SLURM_RESTART_COUNT:-0}" -lt 3 ]; then
            scontrol requeue "${SLURM_ARRAY_JOB_ID}_${SLURM_ARRAY_TASK_ID}"
        fi
        ;;
esac
exit "$status"
